package limit

import (
	"sync"

	"github.com/google/uuid"
)

// running counts the concurrent requests of each principal. A nil value does
// not count.
type running struct {
	most int
	mu   sync.Mutex
	of   map[uuid.UUID]int
}

func newRunning(most int) *running {
	if most <= 0 {
		return nil
	}
	return &running{most: most, of: map[uuid.UUID]int{}}
}

func (r *running) policy() Policy { return Policy{Name: Concurrency, Quota: r.most} }

func (r *running) enter(principal uuid.UUID) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.of[principal]
	if n >= r.most {
		return false
	}
	r.of[principal] = n + 1
	return true
}

func (r *running) leave(principal uuid.UUID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.of[principal]; n > 1 {
		r.of[principal] = n - 1
	} else {
		delete(r.of, principal)
	}
}
