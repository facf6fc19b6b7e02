package config

import "time"

// Config is what an administrator can set.
type Config struct {
	Listen string

	Retention time.Duration // how long finished jobs are kept
}
