package fetch

import (
	"io"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	text := "hello"
	r := &RangeReader{size: 5, read: func(offset int64, p []byte) (int, error) {
		return strings.NewReader(text[offset:]).Read(p)
	}}
	got, err := io.ReadAll(r)
	if err != nil || string(got) != text {
		t.Fatalf("got %q, %v", got, err)
	}
}
