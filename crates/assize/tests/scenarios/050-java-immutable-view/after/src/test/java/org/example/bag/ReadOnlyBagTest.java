package org.example.bag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ReadOnlyBagTest {
    private final Bag<String> bag = new ReadOnlyBag<>(new Bag<>() {
        @Override
        public int count(String thing) {
            return thing.length();
        }

        @Override
        public void add(String thing) {}

        @Override
        public boolean remove(String thing) {
            return true;
        }
    });

    @Test
    void counts() {
        assertEquals(3, bag.count("abc"));
    }

    @Test
    void refusesChanges() {
        assertThrows(UnsupportedOperationException.class, () -> bag.add("x"));
        assertThrows(UnsupportedOperationException.class, () -> bag.remove("x"));
    }
}
