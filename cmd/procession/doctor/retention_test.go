package doctor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/retention"
)

// A removal that is two days late is a warning; a partition lasts an eighth of the retention, between a day and
// 31 days.
func TestOverdueRetentionIsAWarning(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Now()
	ago := func(d time.Duration) *time.Time {
		at := now.Add(-d)
		return &at
	}
	for name, c := range map[string]struct {
		state   retention.State
		kept    time.Duration
		verdict Verdict
		says    string
	}{
		"a new log":             {retention.State{Partitions: 1}, 0, OK, "partitions: 1"},
		"a partition in time":   {retention.State{LastBegan: ago(32 * day)}, 0, OK, ""},
		"one that lasts":        {retention.State{LastBegan: ago(34 * day)}, 0, Warn, "should have lasted 744h"},
		"a shorter retention":   {retention.State{LastBegan: ago(13 * day)}, 80 * day, Warn, "should have lasted 240h"},
		"the shortest":          {retention.State{LastBegan: ago(5 * day)}, 30 * day, OK, ""},
		"the longest":           {retention.State{LastBegan: ago(32 * day)}, 3650 * day, OK, ""},
		"turns in time":         {retention.State{OldestDue: ago(day)}, 0, OK, ""},
		"turns that are behind": {retention.State{OldestDue: ago(3 * day)}, 0, Warn, "due for removal for 72h"},
	} {
		found := retentionFinding(c.state, now, domain.EventEra(c.kept))
		require.Equal(t, c.verdict, found.Verdict, name)
		require.Contains(t, found.Finding, c.says, name)
	}
}
