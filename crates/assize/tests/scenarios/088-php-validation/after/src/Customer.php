<?php

declare(strict_types=1);

namespace Shop;

final class Customer
{
    public function __construct(public string $name, public string $iban)
    {
    }

    public function save(Store $store): void
    {
        $this->iban = Iban::normalize($this->iban);
        $store->put('customer', $this);
    }
}
