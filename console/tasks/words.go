package tasks

import (
	"context"
	"slices"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

// viewCount returns how many tasks a view has.
func viewCount(ctx context.Context, l *listView, view domain.InboxView) string {
	n := l.Counts[view]
	if own := slices.Contains([]domain.InboxView{domain.InboxMine, domain.InboxSubstituted, domain.InboxDone}, view); own && view != l.View && n >= domain.InboxCountLimit {
		return ui.T(ctx, "%d+", domain.InboxCountLimit-1)
	}
	return ui.T(ctx, "%d", n)
}

// emptyTexts explains an empty view and returns a hint.
func emptyTexts(ctx context.Context, l *listView) (what, next string) {
	if l.isFiltered() {
		return ui.T(ctx, "No task matches your search."), ui.T(ctx, "Try fewer words, or look in another view.")
	}
	switch l.View {
	case domain.InboxMine:
		return ui.T(ctx, "You have no open tasks."), ui.T(ctx, "Tasks that you claim, or that are assigned to you, appear here.")
	case domain.InboxSubstituted:
		return ui.T(ctx, "No absent person has an open task for you."), ui.T(ctx, "Tasks of people for whom you substitute appear here.")
	case domain.InboxDone:
		return ui.T(ctx, "You have not completed any tasks yet."), ui.T(ctx, "Tasks that you complete appear here.")
	case domain.InboxAll:
		return ui.T(ctx, "There are no tasks."), ui.T(ctx, "A task appears here when a process that you take part in needs one.")
	case domain.InboxToClaim:
	}
	return ui.T(ctx, "There are no tasks to claim."), ui.T(ctx, "New tasks for you or your groups are announced here.")
}
