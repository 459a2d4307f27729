package domain

import "time"

// Verdict is the outcome of a check of a dependency.
type Verdict string

// The verdicts. A check is Skipped when one that it needs fails.
const (
	VerdictOK      Verdict = "OK"
	VerdictWarn    Verdict = "WARN"
	VerdictFail    Verdict = "FAIL"
	VerdictSkipped Verdict = "SKIPPED"
)

// Finding is the result of a check with a remedy.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Finding string  `json:"finding"`
	Advice  string  `json:"advice,omitempty"`
}

// LooksOverdueAfter is how late a look for the ends of workflows is when none of the
// replicas makes it.
const LooksOverdueAfter = time.Minute

// Backlogs describes the backlogs of some tenants. A time is zero for an empty backlog.
type Backlogs struct {
	// Commands for Temporal were due by now, the oldest since CommandsDueSince.
	Commands         int64
	CommandsDueSince time.Time
	WebhookBacklogs
	// OpenIncidents counts failed workflows without a resolution.
	OpenIncidents int64
	// OverdueLooks are the namespaces in which the ends of workflows should have been looked for before.
	OverdueLooks int64
}
