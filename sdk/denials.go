package procession

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	// firstPatience is how long Temporal may deny polls, which get fresh tokens meanwhile, before the connection is made
	// again with another certificate. It doubles with each connection that is denied too.
	firstPatience = 15 * time.Second
	maxPatience   = 15 * time.Minute
	// triesWithin patience get a fresh token each.
	triesWithin = 3
)

// denials watches whether Temporal lets the worker poll.
type denials struct {
	clock    func() time.Time
	patience time.Duration
	// denied is called now and then while polls are denied.
	denied func()
	// lasting is closed when polls have been denied for longer than patience.
	lasting chan struct{}

	mu    sync.Mutex
	since time.Time // zero while polls are let through
	due   time.Time // when denied is to be called again
	over  bool
}

func newDenials(clock func() time.Time, patience time.Duration, denied func()) *denials {
	return &denials{clock: clock, patience: patience, denied: denied, lasting: make(chan struct{})}
}

// newInterceptor returns an interceptor of calls to Temporal.
func (d *denials) newInterceptor(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	err := invoke(ctx, method, request, reply, conn, options...)
	if strings.Contains(method, "/Poll") || strings.HasSuffix(method, "/GetSystemInfo") {
		d.recordResult(err)
	}
	return err
}

// recordResult looks at the outcome of a poll, or of the call that begins a connection. Only one that was let through ends a
// denial: not every failure says.
func (d *denials) recordResult(err error) {
	var refused *serviceerror.PermissionDenied
	code := status.Code(err)
	isDenial := errors.As(err, &refused) || code == codes.PermissionDenied || code == codes.Unauthenticated
	if err != nil && !isDenial {
		return
	}
	if d.countDenial(isDenial) {
		d.denied()
	}
}

// countDenial reports whether it is time to do something about a denial.
func (d *denials) countDenial(isDenial bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock()
	switch {
	case !isDenial:
		d.since = time.Time{}
		return false
	case d.since.IsZero():
		d.since, d.due = now, now
	case now.Sub(d.since) > d.patience && !d.over:
		d.over = true
		close(d.lasting)
	}
	if now.Before(d.due) {
		return false
	}
	d.due = now.Add(d.patience / triesWithin)
	return true
}
