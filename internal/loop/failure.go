package loop

import (
	"context"
	"log/slog"
	"time"
)

// FailureInterval is the usual time between two log messages about a continuing failure.
const FailureInterval = time.Minute

// FailureLog logs the first failure of a series, and while it lasts one each Interval; with 0 the first one only. A success
// ends a series. It is not safe for concurrent use.
type FailureLog struct {
	Logger *slog.Logger
	// Clock is not used with an Interval of 0.
	Clock    func() time.Time
	Interval time.Duration

	failing  bool
	loggedAt time.Time
}

// Record records a failure and logs it as a warning with the message unless it is one of a series. Failures after the end of ctx
// are ignored.
func (f *FailureLog) Record(ctx context.Context, message string, err error, attributes ...any) {
	if ctx.Err() != nil {
		return
	}
	if f.failing && (f.Interval == 0 || f.Clock().Sub(f.loggedAt) < f.Interval) {
		return
	}
	f.failing = true
	if f.Interval > 0 {
		f.loggedAt = f.Clock()
	}
	f.Logger.WarnContext(ctx, message, append(attributes, slog.Any("error", err))...) //nolint:sloglint // a message of the caller
}

// End records a success and reports whether it ends a series of failures.
func (f *FailureLog) End() (ended bool) {
	ended = f.failing
	f.failing = false
	return ended
}
