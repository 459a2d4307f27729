package press

import (
	"context"
	"errors"
	"sync"
)

// maxWaiting is how many jobs of one principal may wait for another one of its.
const maxWaiting = 8

// ErrBusy is returned when too many jobs of one principal wait already.
var ErrBusy = errors.New("too many forms are being put on paper for this caller")

// turns lets each principal have one job at a time.
type turns struct {
	mu sync.Mutex
	of map[string]*turn
}

// turn is that of one principal.
type turn struct {
	taken chan struct{}
	// users counts the jobs that hold or wait for it.
	users int
}

// Turn waits until no other job of the principal is under way. What it returns
// ends the turn. It returns ErrBusy when too many wait, and the error of the
// context when that ends.
func (p *Press) Turn(ctx context.Context, principal string) (end func(), err error) {
	t, err := p.turns.join(principal)
	if err != nil {
		return nil, err
	}
	select {
	case t.taken <- struct{}{}:
		return func() {
			<-t.taken
			p.turns.leave(principal, t)
		}, nil
	case <-ctx.Done():
		p.turns.leave(principal, t)
		return nil, ctx.Err()
	}
}

func (t *turns) join(principal string) (*turn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	its, ok := t.of[principal]
	if !ok {
		its = &turn{taken: make(chan struct{}, 1)}
		t.of[principal] = its
	}
	if its.users > maxWaiting {
		return nil, ErrBusy
	}
	its.users++
	return its, nil
}

func (t *turns) leave(principal string, its *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if its.users--; its.users == 0 {
		delete(t.of, principal)
	}
}
