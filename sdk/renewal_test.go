package procession

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mint issues tokens that live an hour, under a clock that the test moves.
type mint struct {
	mu      sync.Mutex
	now     time.Time
	issued  int
	refusal error
	// entered and release, when set, hold every fetch until the test lets it go.
	entered, release chan struct{}
}

func newMint() *mint { return &mint{now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)} }

func (m *mint) clock() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *mint) advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}

func (m *mint) fetch(ctx context.Context) (string, time.Time, error) {
	if m.entered != nil {
		m.entered <- struct{}{}
		select {
		case <-m.release:
		case <-ctx.Done():
			return "", time.Time{}, ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.issued++
	if m.refusal != nil {
		return "", time.Time{}, m.refusal
	}
	return fmt.Sprintf("token-%d", m.issued), m.now.Add(time.Hour), nil
}

func TestTokenIsKeptAndRenewedAheadOfExpiry(t *testing.T) {
	t.Parallel()
	m := newMint()
	tokens := newRenewing(m.clock, m.fetch)
	for _, step := range []struct {
		pass time.Duration
		want string
	}{
		{0, "token-1"},
		{39 * time.Minute, "token-1"},
		{time.Minute, "token-2"}, // a third of the hour is left
		{39*time.Minute + 59*time.Second, "token-2"},
		{time.Second, "token-3"},
		{2 * time.Hour, "token-4"},
	} {
		m.advance(step.pass)
		got, err := tokens.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, step.want, got)
	}
}

func TestFailedRenewalFallsBackUntilExpiry(t *testing.T) {
	t.Parallel()
	m := newMint()
	tokens := newRenewing(m.clock, m.fetch)
	_, err := tokens.Get(t.Context())
	require.NoError(t, err)

	m.refusal = errors.New("service down")
	m.advance(50 * time.Minute)
	for range 3 {
		got, err := tokens.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, "token-1", got)
	}
	require.Equal(t, 2, m.issued, "a failed renewal is not repeated at once")
	m.advance(renewalPause)
	_, err = tokens.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, m.issued)

	m.advance(10 * time.Minute)
	_, err = tokens.Get(t.Context())
	require.EqualError(t, err, "service down")

	m.refusal = nil
	got, err := tokens.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "token-5", got)
}

func TestGetAfterPanicFetchesAgain(t *testing.T) {
	t.Parallel()
	m := newMint()
	panics := true
	tokens := newRenewing(m.clock, func(ctx context.Context) (string, time.Time, error) {
		if panics {
			panic("the first fetch")
		}
		return m.fetch(ctx)
	})
	require.Panics(t, func() { _, _ = tokens.Get(t.Context()) })
	panics = false
	got, err := tokens.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "token-1", got)
}

func TestConcurrentCallersShareOneFetch(t *testing.T) {
	t.Parallel()
	m := newMint()
	m.entered, m.release = make(chan struct{}), make(chan struct{})
	tokens := newRenewing(m.clock, m.fetch)
	got := make(chan string, 16)
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			token, err := tokens.Get(t.Context())
			if err != nil {
				token = err.Error()
			}
			got <- token
		})
	}
	<-m.entered
	close(m.release)
	callers.Wait()
	close(got)
	for token := range got {
		require.Equal(t, "token-1", token)
	}
	require.Equal(t, 1, m.issued)
}

func TestTokenAtHandServesWhileAnotherCallerRenews(t *testing.T) {
	t.Parallel()
	m := newMint()
	tokens := newRenewing(m.clock, m.fetch)
	_, err := tokens.Get(t.Context())
	require.NoError(t, err)
	m.entered, m.release = make(chan struct{}), make(chan struct{})
	m.advance(50 * time.Minute)
	renewed := make(chan string)
	go func() {
		token, _ := tokens.Get(t.Context())
		renewed <- token
	}()
	<-m.entered
	got, err := tokens.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "token-1", got)
	close(m.release)
	require.Equal(t, "token-2", <-renewed)
}

func TestCallerWhoGivesUpDoesNotFailTheOthers(t *testing.T) {
	t.Parallel()
	m := newMint()
	m.entered, m.release = make(chan struct{}), make(chan struct{})
	tokens := newRenewing(m.clock, m.fetch)
	impatient, giveUp := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := tokens.Get(impatient)
		failed <- err
	}()
	<-m.entered
	patient := make(chan string)
	go func() {
		token, _ := tokens.Get(t.Context())
		patient <- token
	}()
	giveUp()
	require.ErrorIs(t, <-failed, context.Canceled)
	<-m.entered
	close(m.release)
	require.Equal(t, "token-1", <-patient)
}
