package domain

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestActionsEndOnce(t *testing.T) {
	t.Parallel()
	first, second := uuid.New(), uuid.New()
	at := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	ends := map[ActionStatus]func(a *Action, by uuid.UUID, now time.Time) bool{
		ActionCompleted: (*Action).Complete,
		ActionCanceled:  (*Action).Cancel,
		ActionError: func(a *Action, by uuid.UUID, now time.Time) bool {
			return a.Fail("by "+by.String(), by, now)
		},
	}
	for status, end := range ends {
		a := Action{Status: ActionRequested}
		require.True(t, end(&a, first, at))
		ended := Action{
			Status: status, FinishedAt: &at, Audit: Audit{LastModifiedBy: first, LastModifiedAt: at},
		}
		if status == ActionError {
			ended.Failure = "by " + first.String()
		}
		require.Equal(t, ended, a)
		for _, again := range ends {
			require.False(t, again(&a, second, at.Add(time.Hour)))
			require.Equal(t, ended, a)
		}
	}
}

func TestActionsAreKnownByDefinitionAndCode(t *testing.T) {
	t.Parallel()
	definition := uuid.New()
	ref := NewActionDefinitionRef(definition, "STATEMENT")
	require.Equal(t, "STATEMENT", ref.Code)
	require.Equal(t, ref, NewActionDefinitionRef(definition, "STATEMENT"))
	require.NotEqual(t, ref.ID, NewActionDefinitionRef(definition, "RECALCULATE").ID)
	require.NotEqual(t, ref.ID, NewActionDefinitionRef(uuid.New(), "STATEMENT").ID)
}
