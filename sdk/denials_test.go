package procession

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestDenialsThatLast(t *testing.T) {
	t.Parallel()
	m := newMint()
	calls := 0
	d := newDenials(m.clock, 15*time.Second, func() { calls++ })
	poll := func(method string, err error) {
		t.Helper()
		got := d.intercept(t.Context(), "/temporal.api.workflowservice.v1.WorkflowService/"+method, nil, nil, nil,
			func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return err })
		require.Equal(t, err, got)
	}
	exceeded := func() bool {
		select {
		case <-d.exceeded:
			return true
		default:
			return false
		}
	}
	denied := status.Error(codes.PermissionDenied, "no")
	poll("RespondWorkflowTaskCompleted", denied)
	require.Zero(t, calls, "a task that is not the worker's says nothing of its access")
	poll("PollActivityTaskQueue", denied)
	poll("PollWorkflowTaskQueue", &serviceerror.PermissionDenied{Message: "no"})
	require.Equal(t, 1, calls, "a fresh token is tried first")
	m.advance(5 * time.Second)
	poll("PollWorkflowTaskQueue", denied)
	require.Equal(t, 2, calls)
	m.advance(10 * time.Second)
	poll("PollWorkflowTaskQueue", errors.New("no connection"))
	poll("PollWorkflowTaskQueue", nil)
	m.advance(time.Minute)
	poll("GetSystemInfo", denied)
	require.False(t, exceeded(), "it was let through in between")
	m.advance(15*time.Second + 1)
	poll("PollWorkflowTaskQueue", status.Error(codes.Unauthenticated, "no"))
	require.True(t, exceeded())
	poll("PollWorkflowTaskQueue", denied)
}

func TestDroppedTokenIsFetchedAgain(t *testing.T) {
	t.Parallel()
	m := newMint()
	tokens := newRenewing(m.clock, m.fetch)
	for _, want := range []string{"token-1", "token-2"} {
		got, err := tokens.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, got)
		tokens.Drop()
	}
}
