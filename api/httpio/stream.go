package httpio

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/domain"
)

const (
	// stallBytes in stallTime are the least that a client has to send or to take
	// while it is waited for.
	stallTime  = time.Minute
	stallBytes = 16 << 10
)

// longAgo returns a deadline that has passed.
func longAgo() time.Time { return time.Unix(1, 0) }

// progress interrupts a transfer that moves less than stallBytes in the time.
type progress struct {
	timer   *time.Timer
	stall   time.Duration
	moved   int
	waiting atomic.Bool
	stopped atomic.Bool
}

func newProgress(stall time.Duration, interrupt func()) *progress {
	p := &progress{stall: stall}
	// It begins to run when everything is in place.
	p.timer = time.AfterFunc(time.Hour, func() {
		// What the service itself takes is not the client's fault.
		switch {
		case p.stopped.Load():
		case p.waiting.Load():
			interrupt()
		default:
			p.timer.Reset(stall)
		}
	})
	p.timer.Reset(stall)
	return p
}

// wait waits for the client in transfer and counts what was moved.
func (p *progress) wait(transfer func() (int, error)) (int, error) {
	p.waiting.Store(true)
	n, err := transfer()
	p.waiting.Store(false)
	if p.moved += n; p.moved >= stallBytes {
		p.moved = 0
		p.timer.Reset(p.stall)
	}
	return n, err
}

func (p *progress) stop() {
	p.stopped.Store(true)
	p.timer.Stop()
}

// guardedBody is a request body that fails when the client stops sending. Its
// errors are the client's.
type guardedBody struct {
	io.ReadCloser
	progress *progress
	ended    bool
}

// drainLimit is how many bytes of an unused body are still read, so that the
// connection can be used again.
const drainLimit = 64 << 10

// leaveBody must be called before a request is answered whose body may not have
// been read. The HTTP server would otherwise wait for the rest of it, without a
// limit, before it sends the answer.
func leaveBody(w http.ResponseWriter, r *http.Request) {
	body, ok := r.Body.(*guardedBody)
	if !ok || body.ended || r.ProtoMajor != 1 {
		return
	}
	if length := r.ContentLength; length >= 0 && length <= drainLimit && r.Header.Get("Expect") == "" {
		if _, err := io.Copy(io.Discard, body); err == nil {
			return
		}
	}
	w.Header().Set("Connection", "close")
	// The error is ignored: the connection is gone.
	_ = http.NewResponseController(w).SetReadDeadline(longAgo())
}

// LeaveBody prepares an answer to the request that ctx belongs to, whose body is
// not used.
func LeaveBody(ctx context.Context) {
	if e, ok := exchangeOf(ctx); ok {
		leaveBody(e.writer, e.request)
	}
}

// guard sets deadlines on the reads of a body until stop is called, so that a
// client that stops sending cannot hold the request.
func guard(c *gin.Context, stall time.Duration) (stop func()) {
	body := c.Request.Body
	if body == nil || body == http.NoBody {
		return func() {}
	}
	connection := http.NewResponseController(c.Writer)
	watched := newProgress(stall, func() {
		// The error is ignored: the connection is gone.
		_ = connection.SetReadDeadline(longAgo())
	})
	c.Request.Body = &guardedBody{ReadCloser: body, progress: watched}
	return watched.stop
}

// Read reads from the body.
func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.progress.wait(func() (int, error) { return b.ReadCloser.Read(p) })
	if err == nil {
		return n, nil
	}
	b.progress.stop()
	if errors.Is(err, io.EOF) {
		b.ended = true
		return n, io.EOF
	}
	unread := domain.InvalidBody("", "could not be read")
	unread.Cause = err
	return n, unread
}
