package clock

import "fmt"

// Format prints minutes as HH:MM.
func Format(minutes int) string {
	return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60)
}
