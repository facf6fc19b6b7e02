package store

import (
	"context"
	"database/sql"
	"os"
	"testing"

	_ "github.com/lib/pq"
)

func TestPostgresRoundTrip(t *testing.T) {
	url := os.Getenv("TEST_DATABASE_URL")
	if testing.Short() || url == "" {
		t.Skip("needs a database, see TEST_DATABASE_URL")
	}
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = db.Exec(`delete from notes where id = 'round-trip'`)
		_ = db.Close()
	})
	ctx := context.Background()
	store := Postgres{DB: db}
	if err := store.Put(ctx, "round-trip", "hello"); err != nil {
		t.Fatal(err)
	}
	text, err := store.Get(ctx, "round-trip")
	if err != nil || text != "hello" {
		t.Fatalf("got %q, %v", text, err)
	}
}
