package org.example;

import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

public record Address(String street, String second, String city) {
    /** Formats the address, one line a part; missing parts are left out. */
    public String format() {
        return Stream.of(street, second, city)
                .filter(Objects::nonNull)
                .map(String::trim)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("\n"));
    }
}
