package clock

import (
	"testing"
	"time"
)

func TestFormat(t *testing.T) {
	if got := Format(61); got != "01:01" {
		t.Errorf("got %s", got)
	}
}

func TestClockTicks(t *testing.T) {
	start := time.Now()
	time.Sleep(10 * time.Millisecond)
	if time.Since(start) > 15*time.Millisecond {
		t.Error("slow clock")
	}
}
