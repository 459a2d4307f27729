package app

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	// keyIdle is how long an unused key stays in memory.
	keyIdle = time.Hour
	// maxCachedKeys bounds the keys in memory.
	maxCachedKeys = 1000
)

type encryptionKeyName struct {
	tenant uuid.UUID
	keyID  string
}

type cachedEncryptionKey struct {
	value domain.Secret
	used  time.Time
}

// encryptionKeyCache caches opened keys. The value of a key id never changes,
// so entries are never stale.
type encryptionKeyCache struct {
	mu   sync.Mutex
	keys map[encryptionKeyName]cachedEncryptionKey
}

func newEncryptionKeyCache() *encryptionKeyCache {
	return &encryptionKeyCache{keys: map[encryptionKeyName]cachedEncryptionKey{}}
}

func (c *encryptionKeyCache) get(tenant uuid.UUID, keyID string, now time.Time) (domain.Secret, bool) {
	name := encryptionKeyName{tenant, keyID}
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, ok := c.keys[name]
	if !ok || now.Sub(cached.used) > keyIdle {
		delete(c.keys, name)
		return domain.Secret{}, false
	}
	cached.used = now
	c.keys[name] = cached
	return cached.value, true
}

func (c *encryptionKeyCache) put(tenant uuid.UUID, keyID string, value domain.Secret, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, cached := range c.keys {
		if now.Sub(cached.used) > keyIdle {
			delete(c.keys, name)
		}
	}
	if len(c.keys) >= maxCachedKeys {
		clear(c.keys)
	}
	c.keys[encryptionKeyName{tenant, keyID}] = cachedEncryptionKey{value: value, used: now}
}
