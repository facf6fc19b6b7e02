package org.example.bag;

/** A view of a bag that refuses changes. */
public final class ReadOnlyBag<T> implements Bag<T> {
    private final Bag<T> inner;

    public ReadOnlyBag(Bag<T> inner) {
        this.inner = inner;
    }

    @Override
    public int count(T thing) {
        return inner.count(thing);
    }

    @Override
    public void add(T thing) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean remove(T thing) {
        throw new UnsupportedOperationException();
    }
}
