package org.example.bag;

/** A listener that does nothing; override what is needed. */
public abstract class BagListenerAdapter<T> implements BagListener<T> {
    @Override
    public void added(T thing) {}

    @Override
    public void removed(T thing) {}

    @Override
    public void cleared() {}
}
