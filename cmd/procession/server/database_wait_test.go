package server

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/persistence"
)

func TestServeWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	db, err := persistence.Open(t.Context(), d.url, persistence.Limits{})
	require.NoError(t, err)
	defer db.Close()
	require.ErrorContains(t, awaitDatabase(t.Context(), db, 0, slog.New(slog.DiscardHandler)), "the database is not available")

	var out bytes.Buffer
	var started sync.Once
	log := slog.New(slog.NewTextHandler(io.MultiWriter(&out, starter(func() {
		started.Do(func() { d.open(t) })
	})), nil))
	require.NoError(t, awaitDatabase(t.Context(), db, time.Minute, log))
	require.Equal(t, 1, strings.Count(out.String(), "waiting for PostgreSQL"))
}

// starter is a writer that calls a function with each message.
type starter func()

func (s starter) Write(p []byte) (int, error) { s(); return len(p), nil }

// A database that stays away is reported at most every ten seconds, and each cause once.
func TestWaitForTheDatabaseIsQuiet(t *testing.T) {
	t.Parallel()
	d := newDetour(t)
	db, err := persistence.Open(t.Context(), strings.ReplaceAll(d.url, "sslmode=disable", "sslmode=prefer"), persistence.Limits{})
	require.NoError(t, err)
	defer db.Close()
	var out bytes.Buffer
	require.Error(t, awaitDatabase(t.Context(), db, 4*time.Second, slog.New(slog.NewTextHandler(&out, nil))))
	require.Equal(t, 1, strings.Count(out.String(), "waiting for PostgreSQL"), out.String())
	require.Equal(t, 1, strings.Count(out.String(), "connection refused"), out.String())
}
