<?php

declare(strict_types=1);

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Shop\Iban;
use Shop\InvalidIban;

final class IbanTest extends TestCase
{
    public function testValid(): void
    {
        self::assertSame('DE89370400440532013000', Iban::normalize('DE89 3704 0044 0532 0130 00'));
    }

    public static function broken(): array
    {
        return [[''], ['DE88370400440532013000'], ['370400440532013000']];
    }

    #[DataProvider('broken')]
    public function testInvalid(string $iban): void
    {
        $this->expectException(InvalidIban::class);
        Iban::normalize($iban);
    }
}
