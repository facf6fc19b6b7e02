package count

// Lines counts lines.
func Lines(text string) int {
	count := 0
	for _, letter := range text {
		if letter == '\n' {
			count++
		}
	}
	return count
}
