package tasks

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

// Own tasks in a view that is not shown are counted up to a bound.
func TestViewCountIsBounded(t *testing.T) {
	t.Parallel()
	l := &listView{}
	l.Counts = map[domain.InboxView]int64{
		domain.InboxToClaim: 60_000, domain.InboxMine: domain.InboxCountLimit - 1, domain.InboxDone: domain.InboxCountLimit,
	}
	ctx := ui.WithViewer(t.Context(), &ui.Viewer{Language: language.English})
	require.Equal(t, "60,000", viewCount(ctx, l, domain.InboxToClaim))
	require.Equal(t, "99", viewCount(ctx, l, domain.InboxMine))
	require.Equal(t, "99+", viewCount(ctx, l, domain.InboxDone))
	l.View = domain.InboxDone
	require.Equal(t, "100", viewCount(ctx, l, domain.InboxDone))
}
