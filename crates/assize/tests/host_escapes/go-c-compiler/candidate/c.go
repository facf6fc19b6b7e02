package count

// int one(void) { return 1; }
import "C"

// One is one.
func One() int { return int(C.one()) }
