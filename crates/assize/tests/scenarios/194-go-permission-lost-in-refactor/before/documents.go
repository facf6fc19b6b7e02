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

func deleteDocument(u user, id int) error {
	d, ok := documents[id]
	if !ok {
		return errors.New("no such document")
	}
	if !u.admin && d.owner != u.id {
		return errors.New("not yours")
	}
	if err := os.Remove(d.path); err != nil && !os.IsNotExist(err) {
		return err
	}
	delete(documents, id)
	return nil
}
