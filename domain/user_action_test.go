package domain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestObstaclesOfUserActions(t *testing.T) {
	t.Parallel()
	everything := domain.UserActionRelations{
		Sees: true, Initiator: true, Viewer: true, Manager: true, StartsRelated: true, RelatedPublished: true, WorkflowOpen: true,
	}
	everybody := []domain.UserActionPermission{domain.UserActionInitiator, domain.UserActionViewer, domain.UserActionManager}
	for _, of := range processActionTypes() {
		a := domain.UserAction{Type: of, Permissions: everybody}
		require.Empty(t, a.Obstacles(everything), of)
		want := []domain.Obstacle{domain.ObstacleProcess, domain.ObstaclePermission}
		switch of { //nolint:exhaustive // the others have no rule of their own
		case domain.ProcessActionDownloadable, domain.ProcessActionCreateTask:
			want = append(want, domain.ObstacleManager)
		case domain.ProcessActionStartRelatedProcess:
			want = append(want, domain.ObstacleManager, domain.ObstacleRelated)
		case domain.ProcessActionSendSignal:
			want = append(want, domain.ObstacleWorkflow)
		}
		require.Equal(t, want, a.Obstacles(domain.UserActionRelations{}), of)
		a.Permissions = nil
		require.Equal(t, []domain.Obstacle{domain.ObstaclePermission}, a.Obstacles(everything), of)
	}
	related := domain.UserAction{Type: domain.ProcessActionStartRelatedProcess, Permissions: everybody}
	retired := everything
	retired.RelatedPublished = false
	require.Equal(t, []domain.Obstacle{domain.ObstacleNotPublished}, related.Obstacles(retired))

	// Rights are judged before the state of the process.
	removed := domain.UserActionRelations{Sees: true, Deleted: true}
	require.Equal(t, []domain.Obstacle{
		domain.ObstaclePermission, domain.ObstacleManager, domain.ObstacleRelated, domain.ObstacleDeleted,
	}, related.Obstacles(removed))

	// A kind of permission requires exactly the named relation.
	for i, kind := range everybody {
		for j := range everybody {
			r := domain.UserActionRelations{Sees: true, Initiator: j == 0, Viewer: j == 1, Manager: j == 2}
			a := domain.UserAction{Type: domain.ProcessActionStartWorkflow, Permissions: everybody[i : i+1]}
			require.Equal(t, i == j, len(a.Obstacles(r)) == 0, kind)
		}
	}
}

func TestRefusalsOfUserActions(t *testing.T) {
	t.Parallel()
	for obstacle, code := range map[domain.Obstacle]domain.Code{
		domain.ObstacleDeleted: domain.CodeInvalidState,
		domain.ObstacleProcess: domain.CodeNotFound, domain.ObstaclePermission: domain.CodeAccessDenied,
		domain.ObstacleManager: domain.CodeAccessDenied, domain.ObstacleRelated: domain.CodeAccessDenied,
		domain.ObstacleNotPublished: domain.CodeDefinitionNotPublished, domain.ObstacleWorkflow: domain.CodeInvalidState,
		domain.ObstacleUnavailable: domain.CodeAccessDenied, domain.ObstacleExpression: domain.CodeAccessDenied,
	} {
		require.True(t, domain.HasCode(obstacle.Refusal(), code), obstacle)
		require.NotEmpty(t, obstacle.Message())
	}
	require.Equal(t, domain.ObstacleUnavailable.Refusal(), domain.ObstacleExpression.Refusal(), "callers cannot distinguish them")
}
