package store

import (
	"context"
	"database/sql"
)

// Postgres keeps notes in a table.
type Postgres struct{ DB *sql.DB }

// Put inserts or replaces a note.
func (p Postgres) Put(ctx context.Context, id, text string) error {
	_, err := p.DB.ExecContext(ctx, `insert into notes(id, text) values ($1, $2)
		on conflict (id) do update set text = excluded.text`, id, text)
	return err
}

// Get reads a note.
func (p Postgres) Get(ctx context.Context, id string) (text string, err error) {
	err = p.DB.QueryRowContext(ctx, `select text from notes where id = $1`, id).Scan(&text)
	return text, err
}
