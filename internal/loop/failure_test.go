package loop_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/loop"
)

func TestFailureLogMergesASeries(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	log := loop.FailureLog{
		Logger: slog.New(slog.NewTextHandler(&out, nil)), Clock: func() time.Time { return now }, Interval: loop.FailureInterval,
	}
	logged := func(want int) {
		t.Helper()
		require.Equal(t, want, strings.Count(out.String(), "polling failed"), out.String())
	}
	record := func(ctx context.Context) {
		log.Record(ctx, "polling failed", errors.New("no route"), slog.String("queue", "loans"))
	}
	for range 3 {
		record(t.Context())
	}
	logged(1)
	require.Contains(t, out.String(), `queue=loans error="no route"`)
	now = now.Add(loop.FailureInterval)
	record(t.Context())
	logged(2)
	require.True(t, log.End())
	require.False(t, log.End())
	record(t.Context())
	logged(3)

	log.Interval = 0
	now = now.Add(time.Hour)
	record(t.Context())
	logged(3)
	log.End()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	record(ended)
	logged(3)
}
