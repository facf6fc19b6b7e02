package docs

import "testing"

func TestDeleteUnknown(t *testing.T) {
	if deleteDocument(user{admin: true}, 404) == nil {
		t.Fatal("want an error")
	}
}
