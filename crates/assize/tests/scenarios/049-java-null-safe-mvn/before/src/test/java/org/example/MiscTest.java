package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MiscTest {
    @Test
    void formatsAddress() {
        assertEquals("Main 1\nBack\nOslo", new Address("Main 1", " Back ", "Oslo").format());
    }
}
