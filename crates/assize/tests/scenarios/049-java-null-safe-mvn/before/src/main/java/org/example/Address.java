package org.example;

public record Address(String street, String second, String city) {
    public String format() {
        return street + "\n" + second.trim() + "\n" + city;
    }
}
