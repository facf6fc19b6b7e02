package fetch

import "io"

// RangeReader reads a part of a remote file.
type RangeReader struct {
	offset, size int64
	read         func(offset int64, p []byte) (int, error)
}

// Read implements io.Reader.
func (r *RangeReader) Read(p []byte) (int, error) {
	if r.offset >= r.size {
		return 0, io.EOF
	}
	n, err := r.read(r.offset, p)
	r.offset += int64(n)
	return n, err
}
