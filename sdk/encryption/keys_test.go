package encryption

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// safe counts fetched keys. The test moves its clock.
type safe struct {
	*Keys
	now     atomic.Int64
	fetched atomic.Int64
	answer  func() ([]byte, error)
}

func newSafe() *safe {
	s := &safe{answer: func() ([]byte, error) { return make([]byte, keySize), nil }}
	s.Keys = NewKeys(func() time.Time { return time.Unix(s.now.Load(), 0) },
		func(context.Context, string) ([]byte, error) {
			s.fetched.Add(1)
			return s.answer()
		})
	return s
}

func (s *safe) requireKey(t *testing.T, id string) {
	t.Helper()
	aead, err := s.cipherOf(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, aead)
}

func TestAKeyIsKeptForAnHourAfterItsLastUse(t *testing.T) {
	t.Parallel()
	s := newSafe()
	for range 5 {
		s.requireKey(t, "demo-key")
		s.now.Add(3600)
	}
	require.EqualValues(t, 1, s.fetched.Load())
	s.now.Add(1)
	s.requireKey(t, "demo-key")
	require.EqualValues(t, 2, s.fetched.Load())
	s.requireKey(t, "demo-key.2")
	require.EqualValues(t, 3, s.fetched.Load())
	require.Len(t, s.entries, 2)
	s.now.Add(3601)
	s.requireKey(t, "other-key")
	require.Len(t, s.entries, 1)
}

func TestAKeyIsFetchedOnceForAll(t *testing.T) {
	t.Parallel()
	s := newSafe()
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() { s.requireKey(t, "demo-key") })
	}
	callers.Wait()
	require.EqualValues(t, 1, s.fetched.Load())
}

func TestAFailureIsNotRemembered(t *testing.T) {
	t.Parallel()
	s := newSafe()
	good := s.answer
	s.answer = func() ([]byte, error) {
		return nil, errors.New("the service is down")
	}
	_, err := s.cipherOf(t.Context(), "demo-key")
	require.ErrorContains(t, err, "the service is down")
	s.answer = func() ([]byte, error) { return make([]byte, 16), nil }
	_, err = s.cipherOf(t.Context(), "demo-key")
	require.ErrorContains(t, err, "16 bytes instead of 32")
	s.answer = good
	s.requireKey(t, "demo-key")
}
