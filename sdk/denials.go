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
	// firstTolerance bounds the time of denied polls, which get fresh tokens, before the worker reconnects with another
	// certificate. It doubles with each denied connection.
	firstTolerance = 15 * time.Second
	maxTolerance   = 15 * time.Minute
	// triesWithin is the number of fresh tokens within a tolerance.
	triesWithin = 3
)

// denials records denied polls of the worker.
type denials struct {
	clock     func() time.Time
	tolerance time.Duration
	// denied is called triesWithin times per tolerance while polls are denied.
	denied func()
	// exceeded is closed when polls were denied for longer than tolerance.
	exceeded chan struct{}

	mu    sync.Mutex
	since time.Time // zero while polls are accepted
	due   time.Time // next call of denied
	over  bool
}

func newDenials(clock func() time.Time, tolerance time.Duration, denied func()) *denials {
	return &denials{clock: clock, tolerance: tolerance, denied: denied, exceeded: make(chan struct{})}
}

// intercept is an interceptor of calls to Temporal.
func (d *denials) intercept(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	err := invoke(ctx, method, request, reply, conn, options...)
	if strings.Contains(method, "/Poll") || strings.HasSuffix(method, "/GetSystemInfo") {
		d.recordResult(err)
	}
	return err
}

// recordResult records the outcome of a poll, or of the first call of a connection. Only success ends a denial, because
// other failures say little about authorization.
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

// countDenial records an outcome and reports whether denied is due.
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
	case now.Sub(d.since) > d.tolerance && !d.over:
		d.over = true
		close(d.exceeded)
	}
	if now.Before(d.due) {
		return false
	}
	d.due = now.Add(d.tolerance / triesWithin)
	return true
}
