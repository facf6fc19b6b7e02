// Command shasum prints the SHA-256 of files.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

func main() {
	status := 0
	for _, name := range os.Args[1:] {
		sum, err := sum(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "shasum:", err)
			status = 1
			continue
		}
		fmt.Printf("%x  %s\n", sum, name)
	}
	os.Exit(status)
}

func sum(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	// Nothing was written, so closing cannot lose anything.
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return hash.Sum(nil), nil
}
