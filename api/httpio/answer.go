package httpio

import (
	"cmp"
	"errors"
	"net/http"
	"time"
)

// Deadlines bound how long a client may keep a request waiting. Zero values are the
// defaults.
type Deadlines struct {
	// Stall is how long a client may send or take almost none of a body or an answer, a
	// minute by default.
	Stall time.Duration
	// Rest is how long a client may take to send the rest of a body that is not used,
	// 10 seconds by default.
	Rest time.Duration
}

// Guard keeps a client that stops sending or reading from holding a connection, a
// goroutine and the answer: each 16 KiB must be sent or accepted within the deadline,
// or the connection is closed. The time that the service takes to make an answer does
// not count.
func Guard(next http.Handler, d Deadlines) http.Handler {
	d.Stall, d.Rest = cmp.Or(d.Stall, stallTime), cmp.Or(d.Rest, restTime)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection := http.NewResponseController(w)
		r = r.WithContext(r.Context()) // the server keeps the body of its own request
		guarded := &guardedAnswer{
			ResponseWriter: w, connection: connection, stall: d.Stall, body: guardBody(r, connection, d.Stall, d.Rest),
		}
		defer guarded.body.stop()
		// The server flushes its buffer after the handler has returned, and then resets
		// the deadline.
		defer func() {
			guarded.body.stopReading(w.Header())
			_ = connection.SetWriteDeadline(time.Now().Add(d.Stall)) //nolint:forbidigo // connections have the real time
		}()
		next.ServeHTTP(guarded, r)
	})
}

// errSlow ends an answer that the client does not take.
var errSlow = errors.New("the client does not read the response")

// guardedAnswer is a response writer that fails if the client does not read in time.
type guardedAnswer struct {
	http.ResponseWriter
	connection *http.ResponseController
	stall      time.Duration
	body       *guardedBody // nil without a body
	timer      *time.Timer
	// slow is the first error, which ends all writes.
	slow error
}

// WriteHeader sends the status, after the rest of the body.
func (a *guardedAnswer) WriteHeader(status int) {
	if status >= http.StatusOK {
		a.body.stopReading(a.Header())
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write sends the answer in pieces, each within the whole time limit.
func (a *guardedAnswer) Write(p []byte) (int, error) {
	a.body.stopReading(a.Header())
	written := 0
	for {
		piece := p[written:min(written+stallBytes, len(p))]
		err := a.waitForClient(func() error {
			n, err := a.ResponseWriter.Write(piece)
			written += n
			return err
		})
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// Flush implements http.Flusher.
func (a *guardedAnswer) Flush() { _ = a.FlushError() }

// FlushError sends the buffer.
func (a *guardedAnswer) FlushError() error { return a.waitForClient(a.connection.Flush) }

// Unwrap gives http.ResponseController the writer beneath.
func (a *guardedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// waitForClient waits for the client in transfer.
func (a *guardedAnswer) waitForClient(transfer func() error) error {
	if a.slow != nil {
		return a.slow
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(a.stall, func() {
			// The error is ignored: the connection is gone.
			_ = a.connection.SetWriteDeadline(longAgo())
		})
	} else {
		a.timer.Reset(a.stall)
	}
	err := transfer()
	if !a.timer.Stop() {
		a.slow = errSlow
		return errSlow
	}
	return err
}
