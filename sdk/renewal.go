package procession

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// renewalShare of a credential's life is left when its renewal is due: a third.
	renewalShare = 3
	// renewalPause separates tries to renew a credential that still works.
	renewalPause = 5 * time.Second
)

// errFetchPanicked is the result of a fetch that panicked, for the callers that wait for it.
var errFetchPanicked = errors.New("fetching a credential panicked")

// renewing keeps a credential that expires. Get hands it out from memory and fetches the next one ahead of expiry; at
// most one fetch runs at a time.
type renewing[T any] struct {
	fetch func(context.Context) (T, time.Time, error)
	clock func() time.Time

	mu      sync.Mutex
	value   T
	dueAt   time.Time
	expires time.Time
	flight  *flight
}

// flight is one fetch under way; done is closed after err is set.
type flight struct {
	done chan struct{}
	err  error
}

// newRenewing returns an empty store: the first Get fetches.
func newRenewing[T any](clock func() time.Time, fetch func(context.Context) (T, time.Time, error)) *renewing[T] {
	return &renewing[T]{fetch: fetch, clock: clock}
}

// Get returns a credential that has not expired. While one caller renews it ahead of time, the others keep getting the
// one at hand; without a usable one they wait for that fetch and share its error. A failed renewal ahead of expiry is
// not an error: the credential at hand is returned and the renewal is due again a little later.
func (r *renewing[T]) Get(ctx context.Context) (T, error) {
	for {
		r.mu.Lock()
		now := r.clock()
		value, usable := r.value, now.Before(r.expires)
		if usable && (now.Before(r.dueAt) || r.flight != nil) {
			r.mu.Unlock()
			return value, nil
		}
		if running := r.flight; running != nil {
			r.mu.Unlock()
			if err := running.wait(ctx); err != nil {
				var none T
				return none, err
			}
			continue
		}
		mine := &flight{done: make(chan struct{})}
		r.flight = mine
		r.mu.Unlock()

		fresh, err := r.renew(ctx, mine)
		if err != nil && usable {
			return value, nil
		}
		return fresh, err
	}
}

// Drop forgets the credential at hand, which is refused: the next Get fetches another.
func (r *renewing[T]) Drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expires = time.Time{}
}

// wait returns the error of the flight. If its caller gave up, wait returns nil, and the waiting caller tries itself.
func (f *flight) wait(ctx context.Context) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *renewing[T]) renew(ctx context.Context, mine *flight) (value T, err error) {
	var expires time.Time
	err = errFetchPanicked
	defer func() { r.storeResult(ctx, mine, value, expires, err) }()
	value, expires, err = r.fetch(ctx)
	return value, err
}

// storeResult ends a fetch, one that panicked too: the waiting callers get its result.
func (r *renewing[T]) storeResult(ctx context.Context, mine *flight, value T, expires time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	if err == nil {
		r.value, r.expires = value, expires
		r.dueAt = expires.Add(-expires.Sub(now) / renewalShare)
	} else {
		r.dueAt = now.Add(renewalPause)
		if ctx.Err() == nil {
			mine.err = err
		}
	}
	r.flight = nil
	close(mine.done)
}
