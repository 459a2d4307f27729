package main

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/rest"
)

func TestDecisionInItsTime(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		after   time.Duration
		codes   []string
		message string
	}{
		"at once":              {0, []string{"DECIDE"}, "Accepted"},
		"after the reminder":   {4 * day, []string{"DECIDE", "REMINDER"}, "Accepted"},
		"never, so by another": {400 * day, []string{"DECIDE", "REMINDER", "DECIDE"}, "Refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alice := uuid.New()
			s := processiontest.New(t, processiontest.Options{
				Register: registerWorkflow, Workflow: "RequestWorkflow", Emails: map[string]uuid.UUID{manager: alice},
			})
			s.When("DECIDE", func(task *processiontest.Task) {
				if task.Item.OwnerID != nil {
					require.Equal(t, alice, *task.Item.OwnerID)
					task.After(30*day, func() { task.Complete(decision{}) })
					return
				}
				task.After(test.after, func() { task.Complete(decision{Accepted: true}) })
			})
			response, err := s.Run()
			require.NoError(t, err)
			require.Equal(t, test.message, response.Message)
			require.Equal(t, test.codes, s.Codes())
			if len(test.codes) == 3 {
				require.Equal(t, rest.ProcessItemTaskStateCANCELLED, s.Items()[0].Task.State)
			}
		})
	}
}
