package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AddressTest {
    @Test
    void formatsAddress() {
        assertEquals("Main 1\nBack\nOslo", new Address("Main 1", " Back ", "Oslo").format());
    }

    @Test
    void leavesOutMissingLines() {
        assertEquals("Main 1\nOslo", new Address("Main 1", null, "Oslo").format());
    }
}
