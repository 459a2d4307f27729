package httpio

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

// EventStream is a response of Server-Sent Events. It does not buffer for slow clients:
// Flush fails, and the response must end.
type EventStream struct {
	w          http.ResponseWriter
	connection *http.ResponseController
	stall      time.Duration
	written    bytes.Buffer
}

// NewEventStream begins the answer. Each write must be accepted by the client
// within stall.
func NewEventStream(w http.ResponseWriter, stall time.Duration) *EventStream {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	// Proxies must not buffer events.
	header.Set("X-Accel-Buffering", "no")
	header.Set(gzhttp.HeaderNoCompression, "1")
	w.WriteHeader(http.StatusOK)
	return &EventStream{w: w, connection: http.NewResponseController(w), stall: stall}
}

// Retry sets how soon the client reconnects after the answer has ended.
func (s *EventStream) Retry(d time.Duration) {
	s.written.WriteString("retry: " + strconv.FormatInt(d.Milliseconds(), 10) + "\n")
}

// ID sets the cursor to continue from, without an event.
func (s *EventStream) ID(id string) { s.written.WriteString("id: " + id + "\n\n") }

// Comment adds a comment, which shows that the connection is alive.
func (s *EventStream) Comment() { s.written.WriteString(":\n") }

// Event adds an event. The data are one line.
func (s *EventStream) Event(id, name string, data []byte) {
	s.written.WriteString("id: " + id + "\nevent: " + name + "\ndata: ")
	s.written.Write(data)
	s.written.WriteString("\n\n")
}

// Flush sends the added events.
func (s *EventStream) Flush() error {
	defer s.written.Reset()
	slow := time.AfterFunc(s.stall, func() {
		// The error is ignored: the connection is gone.
		_ = s.connection.SetWriteDeadline(longAgo())
	})
	_, err := s.w.Write(s.written.Bytes())
	if err == nil {
		err = s.connection.Flush()
	}
	if !slow.Stop() {
		return errSlow
	}
	return err
}
