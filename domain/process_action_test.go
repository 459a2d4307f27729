package domain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestADownloadableTakesItsDocumentOnce(t *testing.T) {
	t.Parallel()
	for status, takes := range map[domain.ActionStatus]bool{
		domain.ActionRequested: true, domain.ActionCompleted: false, domain.ActionCanceled: false, domain.ActionError: false,
	} {
		a := domain.ProcessAction{Type: domain.ProcessActionDownloadable, Action: domain.Action{Status: status}}
		got, err := a.TakesDocument()
		require.NoError(t, err)
		require.Equal(t, takes, got)
		for _, other := range processActionTypes()[1:] {
			a.Type = other
			_, err = a.TakesDocument()
			require.True(t, domain.HasCode(err, domain.CodeInvalidState))
		}
	}
}

// processActionTypes returns all types, DOWNLOADABLE first.
func processActionTypes() []domain.ProcessActionType {
	return []domain.ProcessActionType{
		domain.ProcessActionDownloadable, domain.ProcessActionStartWorkflow, domain.ProcessActionStartRelatedProcess,
		domain.ProcessActionCreateTask, domain.ProcessActionCreateMessage, domain.ProcessActionCreateThread,
		domain.ProcessActionSendSignal,
	}
}
