package client

import (
	"context"
	"errors"
	"testing"
)

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
