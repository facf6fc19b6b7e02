package thumbs

// All makes thumbnails, in the order of the names.
func All(names []string, thumb func(string) string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		out = append(out, thumb(name))
	}
	return out
}
