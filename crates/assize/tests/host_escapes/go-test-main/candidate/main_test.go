package count

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	os.WriteFile("@MARKER@", nil, 0o600)
	os.Exit(m.Run())
}
