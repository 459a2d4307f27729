package jsondoc

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxCachedSource limits the sources of the schemas that CompileCached keeps, in bytes. A compiled schema takes some 10
// bytes for each byte of its source, and as many again for each validation at the same time.
const maxCachedSource = 4 << 20

// Cache keeps compiled schemas by the SHA-256 of their source, the most recently used ones up to a total size of their
// sources. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	max     int
	size    int
	schemas *simplelru.LRU[[sha256.Size]byte, cached]
}

type cached struct {
	schema *Schema
	err    error
	size   int
}

// NewCache returns a cache for sources of a total size in bytes.
func NewCache(limit int) *Cache {
	c := &Cache{max: limit}
	// The number of entries is limited by their size: none is smaller than this.
	c.schemas, _ = simplelru.NewLRU(max(1, limit), func(_ [sha256.Size]byte, removed cached) { c.size -= removed.size })
	return c
}

// Compile returns the result of Compile for a source, from the cache if it is there. Equal sources that are compiled at
// the same time may yield different schemas.
func (c *Cache) Compile(source json.RawMessage) (*Schema, error) {
	if len(source) == 0 {
		return nil, nil
	}
	key := sha256.Sum256(source)
	c.mu.Lock()
	entry, ok := c.schemas.Get(key)
	c.mu.Unlock()
	if ok {
		return entry.schema, entry.err
	}
	entry = cached{size: len(source)}
	entry.schema, entry.err = Compile(source)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(source) > c.max || c.schemas.Contains(key) {
		return entry.schema, entry.err
	}
	c.schemas.Add(key, entry)
	for c.size += entry.size; c.size > c.max; {
		c.schemas.RemoveOldest()
	}
	return entry.schema, entry.err
}

var shared = sync.OnceValue(func() *Cache { return NewCache(maxCachedSource) }) //nolint:gochecknoglobals // one per process

// CompileCached is Compile with a cache of the process.
func CompileCached(source json.RawMessage) (*Schema, error) { return shared().Compile(source) }
