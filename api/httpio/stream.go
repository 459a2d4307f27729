package httpio

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/domain"
)

const (
	// stallBytes in stallTime are the least that a client has to send or to take
	// while it is waited for.
	stallTime  = time.Minute
	stallBytes = 16 << 10
	// restTime is how long a client may take to send the rest of a body that is not used.
	restTime = 10 * time.Second
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
		// Time spent by the service does not count against the client.
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

// waitForClient waits for the client in transfer and counts the transferred bytes.
func (p *progress) waitForClient(transfer func() (int, error)) (int, error) {
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
	connection *http.ResponseController
	progress   *progress
	// rest is the time limit of leave.
	rest time.Duration
	// drainable reports whether leave may read the rest of the body.
	drainable bool
	ended     bool
}

// drainLimit is how many bytes of an unused body are still read, so that the
// connection can be used again.
const drainLimit = 64 << 10

// guardBody replaces the body of a request by one that is cut off after stall without
// progress. It returns nil for a request without a body.
func guardBody(r *http.Request, connection *http.ResponseController, stall, rest time.Duration) *guardedBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body := &guardedBody{
		ReadCloser: r.Body, connection: connection, rest: rest,
		drainable: r.ContentLength >= 0 && r.ContentLength <= drainLimit && r.Header.Get("Expect") == "",
		// The streams of HTTP/2 end without the rest of a body.
		ended: r.ProtoMajor != 1,
	}
	body.progress = newProgress(stall, func() { body.setDeadline(longAgo()) })
	r.Body = body
	return body
}

// setDeadline sets the deadline of reads. Its error is ignored: the connection is gone then.
func (b *guardedBody) setDeadline(at time.Time) { _ = b.connection.SetReadDeadline(at) }

// stopReading is called before a request is answered that may have an unread body. The HTTP
// server would otherwise wait for the rest of it, without a limit, before it sends the
// answer. A short rest is read within the time limit; otherwise the connection ends with
// the answer.
func (b *guardedBody) stopReading(header http.Header) {
	if b == nil || b.ended {
		return
	}
	if b.drainable {
		b.setDeadline(time.Now().Add(b.rest)) //nolint:forbidigo // connections have the real time
		if _, err := io.Copy(io.Discard, b); err == nil {
			b.setDeadline(time.Time{})
			return
		}
	}
	b.ended = true
	header.Set("Connection", "close")
	b.setDeadline(longAgo())
}

func (b *guardedBody) stop() {
	if b != nil {
		b.progress.stop()
	}
}

// Read reads from the body.
func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.progress.waitForClient(func() (int, error) { return b.ReadCloser.Read(p) })
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

// ReadWithin calls read with a time limit for the body of the request that is answered by w, however much progress its
// client makes.
func ReadWithin(w http.ResponseWriter, limit time.Duration, read func() error) error {
	connection := http.NewResponseController(w)
	// A writer without a connection, as in tests, has no deadlines.
	_ = connection.SetReadDeadline(time.Now().Add(limit)) //nolint:forbidigo // connections have the real time
	err := read()
	if err == nil {
		_ = connection.SetReadDeadline(time.Time{})
	}
	return err
}
