package jsondoc

import (
	"encoding/json"
	"sync"

	"github.com/procession-dev/procession/domain/parsecache"
)

// maxCachedSource limits the sources of the schemas that CompileCached keeps, in bytes. A compiled schema takes some 10
// bytes for each byte of its source, and as many again for each validation at the same time.
const maxCachedSource = 4 << 20

// Cache keeps compiled schemas, the most recently used ones up to a total size of their sources. It is safe for concurrent
// use.
type Cache struct{ schemas *parsecache.Cache[*Schema] }

// NewCache returns a cache for sources of a total size in bytes.
func NewCache(limit int) *Cache { return &Cache{parsecache.New(limit, Compile)} }

// Compile returns the result of Compile for a source, from the cache if it is there. Equal sources that are compiled at
// the same time may yield different schemas.
func (c *Cache) Compile(source json.RawMessage) (*Schema, error) {
	if len(source) == 0 {
		return nil, nil
	}
	return c.schemas.Parse(source)
}

var shared = sync.OnceValue(func() *Cache { return NewCache(maxCachedSource) }) //nolint:gochecknoglobals // one per process

// CompileCached is Compile with a cache of the process.
func CompileCached(source json.RawMessage) (*Schema, error) { return shared().Compile(source) }
