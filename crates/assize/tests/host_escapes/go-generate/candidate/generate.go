package count

//go:generate touch @MARKER@
