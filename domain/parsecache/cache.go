// Package parsecache keeps results of parsing by their source.
package parsecache

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache keeps parsed values by the SHA-256 of their source, the most recently used ones up to a total size of their
// sources. It is safe for concurrent use.
type Cache[V any] struct {
	parse   func(json.RawMessage) (V, error)
	mu      sync.Mutex
	max     int
	size    int
	entries *simplelru.LRU[[sha256.Size]byte, entry[V]]
}

type entry[V any] struct {
	value V
	err   error
	size  int
}

// New returns a cache of the results of parse, for sources of a total size in bytes.
func New[V any](limit int, parse func(json.RawMessage) (V, error)) *Cache[V] {
	c := &Cache[V]{parse: parse, max: limit}
	// The number of entries is limited by their size: none is smaller than this.
	c.entries, _ = simplelru.NewLRU(max(1, limit), func(_ [sha256.Size]byte, removed entry[V]) { c.size -= removed.size })
	return c
}

// Parse returns the result of parsing a source that is not empty, from the cache if it is there. Equal sources that are
// parsed at the same time may yield different values.
func (c *Cache[V]) Parse(source json.RawMessage) (V, error) {
	key := sha256.Sum256(source)
	c.mu.Lock()
	e, ok := c.entries.Get(key)
	c.mu.Unlock()
	if ok {
		return e.value, e.err
	}
	e = entry[V]{size: len(source)}
	e.value, e.err = c.parse(source)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(source) > c.max || c.entries.Contains(key) {
		return e.value, e.err
	}
	c.entries.Add(key, e)
	for c.size += e.size; c.size > c.max; {
		c.entries.RemoveOldest()
	}
	return e.value, e.err
}
