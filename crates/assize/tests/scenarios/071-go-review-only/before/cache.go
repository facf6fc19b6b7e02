package cache

import (
	"sync"
	"time"
)

type entry struct {
	value   string
	expires time.Time
}

// Cache keeps values for a while.
type Cache struct {
	mu      sync.RWMutex
	ttl     time.Duration
	entries map[string]entry
}

// Get returns a value that has not expired.
func (c *Cache) Get(key string) (string, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found, ok := c.entries[key]
	if ok && time.Now().After(found.expires) {
		delete(c.entries, key)
		return "", false
	}
	return found.value, ok
}
