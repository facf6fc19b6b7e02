package size

import (
	"fmt"
	"strconv"
	"strings"
)

var units = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}

// ParseSize reads a number of bytes, with or without a unit.
func ParseSize(text string) (int64, error) {
	factor := int64(1)
	for _, unit := range units {
		if strings.HasSuffix(text, unit.suffix) {
			factor, text = unit.bytes, strings.TrimSuffix(text, unit.suffix)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("bad size %q", text)
	}
	return n * factor, nil
}
