package app

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// longSchema accepts objects, at a cost that is too high for a transaction.
const longSchema = `{"additionalProperties":{"pattern":"^(a?){100}$"}}`

func newLongSchema(t *testing.T) *jsondoc.Schema {
	t.Helper()
	schema, err := jsondoc.Compile(json.RawMessage(longSchema))
	require.NoError(t, err)
	return schema
}

// longValue returns a value with a text of so many characters.
func longValue(size int) json.RawMessage {
	return json.RawMessage(`{"a":"` + strings.Repeat("a", size) + `"}`)
}

func newLongWork(t *testing.T) *Service {
	t.Helper()
	return New(Options{Store: storage.New(storage.Options{DB: pgtest.New(t), Clock: time.Now})})
}

// validateIn validates a value in a write, and returns how often the write ran and the result.
func validateIn(ctx context.Context, s *Service, schema *jsondoc.Schema, document func(run int) json.RawMessage) (int, domain.JSONValue, error) {
	runs := 0
	var value domain.JSONValue
	err := s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		runs++
		vals := newValues(newLookUps(domain.Caller{}, time.Now(), nil))
		vals.tx = tx
		var err error
		value, err = vals.validate(validation{schema: schema, document: document(runs)})
		return nil, err
	})
	return runs, value, err
}

func TestWriteRepeatsWithResultOfLongValidation(t *testing.T) {
	t.Parallel()
	s, schema := newLongWork(t), newLongSchema(t)
	for name, c := range map[string]struct {
		size, runs int
		valid      bool
	}{
		"a short value":            {50, 1, true},
		"an expensive short value": {30_000, 2, false},
		"a long value":             {70_000, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs, value, err := validateIn(t.Context(), s, schema, func(int) json.RawMessage { return longValue(c.size) })
			require.NoError(t, err)
			require.Equal(t, c.runs, runs)
			require.Equal(t, c.valid, value.Valid)
		})
	}
}

func TestWriteGivesUpWhenLongValueKeepsChanging(t *testing.T) {
	t.Parallel()
	s, schema := newLongWork(t), newLongSchema(t)
	runs, _, err := validateIn(t.Context(), s, schema, func(run int) json.RawMessage { return longValue(70_000 + run) })
	require.True(t, domain.HasCode(err, domain.CodeConflict), "%v", err)
	require.Equal(t, 2+maxRepeats, runs)
	runs, value, err := validateIn(t.Context(), s, schema, func(run int) json.RawMessage { return longValue(70_000 + min(run, 3)) })
	require.NoError(t, err)
	require.Equal(t, 4, runs)
	require.False(t, value.Valid)
}

func TestLongValidationStopsWithItsContext(t *testing.T) {
	t.Parallel()
	s, schema := newLongWork(t), newLongSchema(t)
	t.Run("while it waits", func(t *testing.T) {
		t.Parallel()
		s := newLongWork(t)
		for range cap(s.longWork.slots) {
			s.longWork.slots <- struct{}{}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, _, err := validateIn(ctx, s, schema, func(int) json.RawMessage { return longValue(70_000) })
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("while it runs", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		prepared := newPreparation()
		err := s.longWork.do(ctx, &longWorkError{do: func(watch func() error) any {
			done := &validated{validation: validation{schema: schema, document: longValue(70_000)}}
			done.value, done.err = done.validateValue(func() error {
				cancel()
				return watch()
			})
			require.ErrorIs(t, done.err, context.Canceled)
			return done
		}}, prepared)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestPatchOfLongDocumentRunsOutsideOfTransaction(t *testing.T) {
	t.Parallel()
	s := newLongWork(t)
	runs := 0
	var result json.RawMessage
	require.NoError(t, s.write(t.Context(), domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		runs++
		vals := newValues(newLookUps(domain.Caller{}, time.Now(), nil))
		vals.tx = tx
		var err error
		result, err = vals.applyPatch(longValue(70_000), []jsondoc.Operation{{Op: "replace", Path: "/a", Value: json.RawMessage("1")}})
		return nil, err
	}))
	require.Equal(t, 2, runs)
	require.JSONEq(t, `{"a":1}`, string(result))
}
