package count

import "testing"

func TestLines(t *testing.T) {
	if Lines("a\nb\n") != 2 {
		t.Fatal("two lines")
	}
}
