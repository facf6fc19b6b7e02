package config

import "os"

// Config is read from the environment.
type Config struct{ DatabaseURL string }

func Load() Config {
	return Config{DatabaseURL: os.Getenv("DB_URL")}
}
