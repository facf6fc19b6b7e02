package size

import "testing"

func TestParseSizePlain(t *testing.T) {
	n, err := ParseSize("42")
	if err != nil || n != 42 {
		t.Fatalf("got %d, %v", n, err)
	}
}
