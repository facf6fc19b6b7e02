package org.example.bag;

public interface BagListener<T> {
    void added(T thing);

    void removed(T thing);

    void cleared();
}
