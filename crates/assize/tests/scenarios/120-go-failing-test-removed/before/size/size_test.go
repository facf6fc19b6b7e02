package size

import "testing"

func TestParseSizePlain(t *testing.T) {
	n, err := ParseSize("42")
	if err != nil || n != 42 {
		t.Fatalf("got %d, %v", n, err)
	}
}

func TestParseSizeRejectsNegative(t *testing.T) {
	for _, text := range []string{"-1", "-1KiB"} {
		if _, err := ParseSize(text); err == nil {
			t.Errorf("want an error for %s", text)
		}
	}
}
