package limit

import (
	"net/netip"
	"sync"
)

// Running counts the concurrent uses of something by key. A nil value does not count.
type Running[K comparable] struct {
	most int
	mu   sync.Mutex
	of   map[K]int
}

// NewRunning returns a count that admits most concurrent uses of each key, nil if most is not positive.
func NewRunning[K comparable](most int) *Running[K] {
	if most <= 0 {
		return nil
	}
	return &Running[K]{most: most, of: map[K]int{}}
}

// Enter reports whether the key may have one more use, and counts it.
func (r *Running[K]) Enter(key K) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.of[key]
	if n >= r.most {
		return false
	}
	r.of[key] = n + 1
	return true
}

// Leave ends a use that Enter has counted.
func (r *Running[K]) Leave(key K) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.of[key]; n > 1 {
		r.of[key] = n - 1
	} else {
		delete(r.of, key)
	}
}

// EnterAddress decides about a request of an address, with or without credentials. If the verdict allows it, the caller
// of EnterAddress must call leave when the request has ended; otherwise leave is nil.
func (l *Limiter) EnterAddress(from netip.Prefix) (leave func(), verdict Verdict) {
	if l == nil {
		return func() {}, Verdict{Allowed: true}
	}
	if !l.atOnce.Enter(from) {
		return nil, refuseConcurrent(AddressConcurrency, l.atOnce.most)
	}
	return func() { l.atOnce.Leave(from) }, Verdict{Allowed: true}
}
