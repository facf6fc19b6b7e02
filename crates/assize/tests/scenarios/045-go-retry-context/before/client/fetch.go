// Package client polls a server.
package client

import (
	"context"
	"fmt"
	"time"
)

// Getter gets a document.
type Getter func(ctx context.Context, url string) ([]byte, error)

// Fetch tries up to three times.
func Fetch(ctx context.Context, get Getter, url string, pause time.Duration) ([]byte, error) {
	var last error
	for attempt := 0; attempt < 3; attempt++ {
		body, err := get(ctx, url)
		if err == nil {
			return body, nil
		}
		last = err
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("fetch %s: %w", url, last)
}
