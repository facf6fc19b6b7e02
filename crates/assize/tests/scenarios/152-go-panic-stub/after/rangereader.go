package fetch

import (
	"errors"
	"io"
)

var _ io.ReadSeeker = (*RangeReader)(nil)

// Seek implements io.Seeker.
func (r *RangeReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		r.offset = offset
	case io.SeekCurrent:
		r.offset += offset
	case io.SeekEnd:
		panic("not implemented")
	default:
		return 0, errors.New("fetch: bad whence")
	}
	return r.offset, nil
}

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
