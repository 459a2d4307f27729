package domain_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestNextDigest(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for now, want := range map[string]string{
		"2026-03-27T05:59:00Z": "2026-03-27T06:00:00Z",
		"2026-03-27T06:00:00Z": "2026-03-28T06:00:00Z",
		"2026-03-28T12:00:00Z": "2026-03-29T05:00:00Z", // the clocks are set forward
		"2026-12-31T12:00:00Z": "2027-01-01T06:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, now)
		require.NoError(t, err)
		require.Equal(t, want, domain.NextDigest(at, berlin).UTC().Format(time.RFC3339), now)
	}
}

func TestEveryNotificationKindHasADefaultMail(t *testing.T) {
	t.Parallel()
	for _, kind := range domain.NotificationKinds() {
		require.Contains(t, domain.MailChoices(), kind.DefaultMail(), kind)
	}
	require.Equal(t, domain.MailNever, domain.NotifyClaimable.DefaultMail())
}
