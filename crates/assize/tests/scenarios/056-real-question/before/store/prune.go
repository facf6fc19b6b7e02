package store

import (
	"context"
	"database/sql"
	"time"
)

// Prune deletes old audit records.
func Prune(ctx context.Context, db *sql.DB, now time.Time) error {
	_, err := db.ExecContext(ctx, `delete from audit where at < $1`, now.Add(-Retention))
	return err
}

// Retention is how long audit records are kept; legal wants 10 years.
const Retention = 10 * 365 * 24 * time.Hour
