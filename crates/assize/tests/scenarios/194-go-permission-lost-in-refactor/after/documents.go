package docs

import (
	"errors"
	"os"
)

type user struct {
	id    int
	admin bool
}

type document struct {
	path  string
	owner int
}

var documents = map[int]document{}

func deleteDocument(_ user, id int) error {
	d, err := findDocument(id)
	if err != nil {
		return err
	}
	if err := removeFile(d.path); err != nil {
		return err
	}
	delete(documents, id)
	return nil
}

func findDocument(id int) (document, error) {
	d, ok := documents[id]
	if !ok {
		return document{}, errors.New("no such document")
	}
	return d, nil
}

func removeFile(path string) error {
	err := os.Remove(path)
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
