package doctor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/persistence/events"
)

func TestEventLogFinding(t *testing.T) {
	t.Parallel()
	writer := func(pid int32) *events.Writer {
		return &events.Writer{Database: "procession", PID: pid, Application: "import", Age: 90 * time.Second}
	}
	require.Equal(t, OK, eventLogFinding(events.Horizon{Lag: lateEvents - 1, Oldest: writer(7)}).Verdict)
	for _, c := range []struct {
		oldest          *events.Writer
		finding, advice string
	}{
		{
			writer(7), `webhooks and followers of the event log have waited for 1m15s for a transaction in the database procession: ` +
				`process 7, application "import", 1m30s old`, "end it: SELECT pg_terminate_backend(7)",
		},
		{
			writer(0), `webhooks and followers of the event log have waited for 1m15s for the prepared transaction "import" in the database ` +
				`procession, 1m30s old`, "commit it, or roll it back: ROLLBACK PREPARED",
		},
		{nil, "webhooks and followers of the event log have waited for 1m15s", "repeat the check"},
	} {
		require.Equal(t, Finding{Verdict: Warn, Finding: c.finding, Advice: c.advice},
			eventLogFinding(events.Horizon{Lag: 75 * time.Second, Oldest: c.oldest}))
	}
}
