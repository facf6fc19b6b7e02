<?php

declare(strict_types=1);

namespace Shop;

final class InvalidIban extends \DomainException
{
}

final class Iban
{
    /** Drops blanks and checks the IBAN. */
    public static function normalize(string $iban): string
    {
        $plain = strtoupper(preg_replace('/\s+/', '', $iban));
        if (!preg_match('/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/', $plain) || self::remainder($plain) !== 1) {
            throw new InvalidIban('no valid IBAN');
        }
        return $plain;
    }

    private static function remainder(string $plain): int
    {
        $rest = 0;
        foreach (str_split(substr($plain, 4) . substr($plain, 0, 4)) as $character) {
            $digits = ctype_digit($character) ? $character : (string) (ord($character) - 55);
            $rest = (int) ($rest . $digits) % 97;
        }
        return $rest;
    }
}
