package org.example.bag;

/** Counts things. */
public interface Bag<T> {
    int count(T thing);

    void add(T thing);

    boolean remove(T thing);
}
