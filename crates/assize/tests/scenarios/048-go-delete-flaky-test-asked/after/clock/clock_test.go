package clock

import "testing"

func TestFormat(t *testing.T) {
	if got := Format(61); got != "01:01" {
		t.Errorf("got %s", got)
	}
}
