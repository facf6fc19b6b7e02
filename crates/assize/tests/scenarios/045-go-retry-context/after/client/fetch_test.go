package client

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestFetchStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	get := func(context.Context, string) ([]byte, error) {
		calls++
		cancel()
		return nil, errors.New("busy")
	}
	_, err := Fetch(ctx, get, "u", time.Hour)
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Fatalf("got %v after %d calls", err, calls)
	}
}

func TestFetchRetries(t *testing.T) {
	calls := 0
	get := func(context.Context, string) ([]byte, error) {
		calls++
		if calls < 3 {
			return nil, errors.New("busy")
		}
		return []byte("ok"), nil
	}
	body, err := Fetch(context.Background(), get, "u", 0)
	if err != nil || string(body) != "ok" {
		t.Fatalf("got %q, %v", body, err)
	}
}
