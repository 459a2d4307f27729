package httpio

import (
	"errors"
	"net/http"
	"time"
)

// GuardAnswers keeps a client that stops reading from holding a connection, a
// goroutine and the answer: each 16 KiB must be accepted within stall, 0 for a
// minute, or the connection is closed. The time that the service takes to make
// an answer does not count.
func GuardAnswers(next http.Handler, stall time.Duration) http.Handler {
	if stall == 0 {
		stall = stallTime
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guarded := &guardedAnswer{ResponseWriter: w, connection: http.NewResponseController(w), stall: stall}
		// The server sends what it has buffered after the handler has returned, and
		// takes the deadline back.
		defer func() {
			_ = guarded.connection.SetWriteDeadline(time.Now().Add(stall)) //nolint:forbidigo // connections have the real time
		}()
		next.ServeHTTP(guarded, r)
	})
}

// errSlow ends an answer that the client does not take.
var errSlow = errors.New("the client does not take what it is sent")

// guardedAnswer is an answer whose writes fail when the client does not read in
// time.
type guardedAnswer struct {
	http.ResponseWriter
	connection *http.ResponseController
	stall      time.Duration
	timer      *time.Timer
	// slow is the error after which nothing is written.
	slow error
}

// Write sends the answer in pieces, each within the whole time limit.
func (a *guardedAnswer) Write(p []byte) (int, error) {
	written := 0
	for {
		piece := p[written:min(written+stallBytes, len(p))]
		err := a.wait(func() error {
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

// FlushError sends what is buffered.
func (a *guardedAnswer) FlushError() error { return a.wait(a.connection.Flush) }

// Unwrap gives http.ResponseController the writer beneath.
func (a *guardedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// wait waits for the client in transfer.
func (a *guardedAnswer) wait(transfer func() error) error {
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
