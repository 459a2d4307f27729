package doctor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCheckProxiesWarnsOfUntrustedOnes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 2, 10, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		options Options
		verdict Verdict
		finding string
	}{
		"outside the service": {Options{TrustedProxies: []string{"10.0.0.0/8"}}, OK, "trusted: 10.0.0.0/8"},
		"no proxy":            {Options{UntrustedProxy: func() (string, time.Time) { return "", time.Time{} }}, OK, "no untrusted proxy"},
		"an unknown proxy": {
			Options{UntrustedProxy: func() (string, time.Time) { return "192.0.2.1", at }},
			Warn,
			"192.0.2.1 sends X-Forwarded-For and is not a trusted proxy; last at 2026-03-02T10:30:00Z",
		},
	} {
		found := (&doctor{Options: c.options}).checkProxies(t.Context())
		require.Equal(t, c.verdict, found.Verdict, name)
		require.Contains(t, found.Finding, c.finding, name)
	}
}
