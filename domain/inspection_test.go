package domain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDiagnose(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *time.Time { return new(now.Add(d)) }
	problem := &Problem{Kind: IncidentActivity, Message: "no route"}
	for name, c := range map[string]struct {
		seen    Inspection
		work    *ProcessWork
		used    time.Duration
		finding RunFinding
		kind    IncidentKind
		next    *time.Time
	}{
		"a problem":                              {Inspection{Problem: problem, Busy: true}, &ProcessWork{Open: true}, time.Minute, FindingStuck, IncidentActivity, at(time.Minute)},
		"a task without a worker":                {Inspection{UnservedSince: at(-time.Minute), Busy: true}, &ProcessWork{}, time.Minute, FindingUnserved, "", at(InspectAfter)},
		"a task that has just been scheduled":    {Inspection{UnservedSince: at(-time.Second), Busy: true}, &ProcessWork{}, time.Second, "", "", at(InspectAfter)},
		"an activity":                            {Inspection{Busy: true}, &ProcessWork{}, 10 * time.Minute, "", "", at(10 * time.Minute)},
		"an activity of days":                    {Inspection{Busy: true}, &ProcessWork{}, 50 * time.Hour, "", "", at(time.Hour)},
		"a timer":                                {Inspection{NextTimer: at(24 * time.Hour)}, &ProcessWork{}, time.Minute, "", "", at(24*time.Hour + InspectAfter)},
		"a timer that has just fired":            {Inspection{NextTimer: at(-time.Second)}, &ProcessWork{}, time.Minute, "", "", at(time.Minute)},
		"an open task":                           {Inspection{}, &ProcessWork{Open: true, Signals: true}, time.Minute, "", "", nil},
		"a definition with messages":             {Inspection{}, &ProcessWork{Signals: true}, time.Minute, FindingWaiting, "", nil},
		"nothing that continues":                 {Inspection{}, &ProcessWork{}, time.Minute, FindingStuck, IncidentNoWait, at(time.Minute)},
		"a long history":                         {Inspection{Unclear: true}, &ProcessWork{}, time.Minute, "", "", at(time.Minute)},
		"the workflow of an action, idle":        {Inspection{}, nil, time.Minute, "", "", at(time.Minute)},
		"the workflow of an action in a problem": {Inspection{Problem: problem}, nil, time.Minute, FindingStuck, IncidentActivity, at(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Diagnose(c.seen, c.work, now.Add(-c.used), now)
			require.Equal(t, c.finding, d.Finding)
			require.Equal(t, c.next, d.InspectAt)
			if c.kind == "" {
				require.Nil(t, d.Problem)
			} else {
				require.Equal(t, c.kind, d.Problem.Kind)
			}
		})
	}
}

func TestFingerprintsOfOneCauseAreEqual(t *testing.T) {
	t.Parallel()
	run := EngineRun{Kind: RunKindProcess, WorkflowType: "Loan", TaskQueue: "QUEUE"}
	of := func(message string) string {
		p := Problem{Kind: IncidentFailure, Message: message}
		return p.fingerprint(run)
	}
	require.Equal(t, of("loan 17 of 01970000-0000-7000-8000-00000000a001 at 0xc0001"), of("loan 4 of 01970000-0000-7000-8000-00000000b222 at 0xd5"))
	require.NotEqual(t, of("no funds"), of("no route"))
}
