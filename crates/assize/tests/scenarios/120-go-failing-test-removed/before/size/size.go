package size

import (
	"fmt"
	"strconv"
)

// ParseSize reads a number of bytes.
func ParseSize(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("bad size %q", text)
	}
	return n, nil
}
