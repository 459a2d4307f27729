package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/procession-dev/procession/persistence"
)

// outageCheck is the interval of checks for the end of an outage of PostgreSQL.
const outageCheck = time.Second

// outage is the state of PostgreSQL, as messages about failures show it. It is safe for concurrent use.
type outage struct {
	mu sync.Mutex
	// since is zero while PostgreSQL is available.
	since      time.Time
	suppressed int
}

// begin records a failure at a time and reports whether it is the first one of an outage.
func (o *outage) begin(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.since.IsZero() {
		o.suppressed++
		return false
	}
	o.since, o.suppressed = now, 0
	return true
}

func (o *outage) active() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.since.IsZero()
}

// end returns the beginning of the outage and the number of suppressed messages, and ends it.
func (o *outage) end() (since time.Time, suppressed int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	since, suppressed = o.since, o.suppressed
	o.since = time.Time{}
	return since, suppressed
}

// outageHandler is a slog.Handler that logs one message for all failures of one outage of PostgreSQL, which every part of the
// service and every request notices.
type outageHandler struct {
	slog.Handler

	outage *outage
}

// Handle implements slog.Handler.
func (h outageHandler) Handle(ctx context.Context, r slog.Record) error {
	cause := databaseFailure(r)
	if cause == nil {
		return h.Handler.Handle(ctx, r)
	}
	if !h.outage.begin(r.Time) {
		return nil
	}
	first := slog.NewRecord(r.Time, slog.LevelError, "PostgreSQL is unavailable", r.PC)
	first.AddAttrs(slog.Any("error", cause))
	return h.Handler.Handle(ctx, first)
}

// WithAttrs implements slog.Handler.
func (h outageHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return outageHandler{Handler: h.Handler.WithAttrs(attrs), outage: h.outage}
}

// WithGroup implements slog.Handler.
func (h outageHandler) WithGroup(name string) slog.Handler {
	return outageHandler{Handler: h.Handler.WithGroup(name), outage: h.outage}
}

// databaseFailure returns the error of a message about an outage of PostgreSQL, nil for any other message.
func databaseFailure(r slog.Record) (cause error) {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok && persistence.IsOutage(err) {
			cause = err
		}
		return cause == nil
	})
	return cause
}

// logRecovery logs the end of an outage.
func (s *Service) logRecovery(ctx context.Context) {
	if !s.outage.active() || s.checkDatabase(ctx) != nil {
		return
	}
	since, suppressed := s.outage.end()
	s.log.WarnContext(ctx, "PostgreSQL is available again",
		slog.Duration("outage", time.Since(since).Round(time.Millisecond)), slog.Int("suppressed_messages", suppressed))
}
