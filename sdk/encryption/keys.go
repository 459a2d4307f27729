package encryption

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"sync"
	"time"
)

// idle is how long an unused key is kept.
const idle = time.Hour

// Fetch returns the 32 bytes of the key with that id.
type Fetch func(ctx context.Context, id string) ([]byte, error)

// Keys fetches keys from the service when they are first needed and keeps them for as long as they are in use: a key
// id never gets another key. It is safe for concurrent use.
type Keys struct {
	fetch Fetch
	clock func() time.Time

	mu      sync.Mutex
	entries map[string]*entry
}

// entry is one key. Its own lock lets one caller fetch while the others wait for that.
type entry struct {
	mu   sync.Mutex
	aead cipher.AEAD
	used time.Time // guarded by Keys.mu
}

// NewKeys returns an empty store.
func NewKeys(clock func() time.Time, fetch Fetch) *Keys {
	return &Keys{fetch: fetch, clock: clock, entries: map[string]*entry{}}
}

// cipherOf returns the cipher of a key. A failure is not remembered: the next caller asks again.
func (k *Keys) cipherOf(ctx context.Context, id string) (cipher.AEAD, error) {
	e := k.entryOf(id)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.aead != nil {
		return e.aead, nil
	}
	key, err := k.fetch(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("fetching the encryption key %s: %w", id, err)
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("the encryption key %s has %d bytes instead of %d", id, len(key), keySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("making a cipher of the encryption key %s: %w", id, err)
	}
	if e.aead, err = cipher.NewGCM(block); err != nil {
		return nil, fmt.Errorf("making a cipher of the encryption key %s: %w", id, err)
	}
	return e.aead, nil
}

// entryOf returns the entry of a key, creating it if necessary, and removes entries that were not used lately.
func (k *Keys) entryOf(id string) *entry {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock()
	for other, e := range k.entries {
		if now.Sub(e.used) > idle {
			delete(k.entries, other)
		}
	}
	e := k.entries[id]
	if e == nil {
		e = &entry{}
		k.entries[id] = e
	}
	e.used = now
	return e
}
