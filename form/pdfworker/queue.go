package pdfworker

import (
	"context"
	"errors"
	"sync"
)

// maxWaiting is the maximum number of waiting jobs of one principal.
const maxWaiting = 8

// ErrBusy is returned if too many jobs of the principal are waiting.
var ErrBusy = errors.New("too many forms are being rendered as PDF for this caller")

// queues serialize the jobs of each principal.
type queues struct {
	mu          sync.Mutex
	byPrincipal map[string]*queue
}

// queue is the queue of one principal.
type queue struct {
	slot chan struct{}
	// jobs counts running and waiting jobs.
	jobs int
}

// Acquire waq until no other job of the principal is running. The caller must call release at the end. Acquire
// returns ErrBusy if too many jobs wait, and the error of the context.
func (p *Pool) Acquire(ctx context.Context, principal string) (release func(), err error) {
	q, err := p.queues.joinQueue(principal)
	if err != nil {
		return nil, err
	}
	select {
	case q.slot <- struct{}{}:
		return func() {
			<-q.slot
			p.queues.leaveQueue(principal, q)
		}, nil
	case <-ctx.Done():
		p.queues.leaveQueue(principal, q)
		return nil, ctx.Err()
	}
}

func (t *queues) joinQueue(principal string) (*queue, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q, ok := t.byPrincipal[principal]
	if !ok {
		q = &queue{slot: make(chan struct{}, 1)}
		t.byPrincipal[principal] = q
	}
	if q.jobs > maxWaiting {
		return nil, ErrBusy
	}
	q.jobs++
	return q, nil
}

func (t *queues) leaveQueue(principal string, q *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.jobs--; q.jobs == 0 {
		delete(t.byPrincipal, principal)
	}
}
