package engine_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// recordingTemporal answers signals and records the headers.
type recordingTemporal struct {
	workflowservice.UnimplementedWorkflowServiceServer

	calls chan metadata.MD
}

func (r *recordingTemporal) SignalWorkflowExecution(
	ctx context.Context, _ *workflowservice.SignalWorkflowExecutionRequest,
) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	headers, _ := metadata.FromIncomingContext(ctx)
	r.calls <- headers
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

func startRecordingTemporal(t *testing.T, address string) *recordingTemporal {
	t.Helper()
	r := &recordingTemporal{calls: make(chan metadata.MD, 10)}
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	s := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(s, r)
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Stop()
		require.NoError(t, <-served)
	})
	return r
}

func TestCallsGoToTheClusterOfTheirNamespace(t *testing.T) {
	t.Parallel()
	address, second := nettest.FreeAddress(t), nettest.FreeAddress(t)
	o := engine.Options{
		Address: address, Credentials: engine.Credentials{Plaintext: true}, Logger: enginetest.Logger(),
		Clusters: map[string]engine.Cluster{"second": {Address: second, Credentials: engine.Credentials{Plaintext: true}}},
		ClusterOf: func(_ context.Context, namespace string) (string, error) {
			return map[string]string{"branch": "second", "lost": "removed"}[namespace], nil
		},
	}
	e, err := engine.New(o)
	require.NoError(t, err)
	defer e.Close()
	first := startRecordingTemporal(t, address)
	signal := func(namespace string) error {
		_, err := e.Execute(t.Context(), domain.DueCommand{
			EngineCommand: domain.EngineCommand{Kind: domain.CommandSignalAction},
			Run:           domain.EngineRun{Namespace: namespace, WorkflowID: "w", RunID: "r"},
		})
		return err
	}
	require.NoError(t, signal("demo"))
	<-first.calls

	// The first call finds the cluster away. The following ones fail at once until the next attempt.
	err = signal("branch")
	require.True(t, engine.Unavailable(err), err)
	require.True(t, engine.InOtherCluster(err), err)
	require.ErrorContains(t, err, "cluster second")
	require.ErrorContains(t, signal("branch"), "does not answer")
	require.NoError(t, signal("demo"), "the default cluster is not affected")
	<-first.calls
	other := startRecordingTemporal(t, second)
	require.Eventually(t, func() bool { return signal("branch") == nil }, 10*time.Second, 20*time.Millisecond)
	require.Equal(t, []string{"branch"}, (<-other.calls).Get("temporal-namespace"))
	require.Empty(t, first.calls)

	err = signal("lost")
	require.ErrorContains(t, err, "the cluster removed of the namespace lost is not configured")
	require.False(t, engine.Unavailable(err))
}

// The server of a cluster with an address for each namespace is called for this namespace only.
func TestAddressesOfNamespaces(t *testing.T) {
	t.Parallel()
	own, second := nettest.FreeAddress(t), nettest.FreeAddress(t)
	_, ownPort, err := net.SplitHostPort(own)
	require.NoError(t, err)
	_, secondPort, err := net.SplitHostPort(second)
	require.NoError(t, err)
	// The namespaces are ports here.
	e, err := engine.New(engine.Options{
		Address: "127.0.0.1:{namespace}", Namespace: ownPort, Credentials: engine.Credentials{Plaintext: true}, Logger: enginetest.Logger(),
		ClusterOf: func(context.Context, string) (string, error) { return "", nil },
	})
	require.NoError(t, err)
	defer e.Close()
	servers := map[string]*recordingTemporal{ownPort: startRecordingTemporal(t, own), secondPort: startRecordingTemporal(t, second)}
	for namespace, server := range servers {
		_, err := e.Execute(t.Context(), domain.DueCommand{
			EngineCommand: domain.EngineCommand{Kind: domain.CommandSignalAction},
			Run:           domain.EngineRun{Namespace: namespace, WorkflowID: "w", RunID: "r"},
		})
		require.NoError(t, err)
		require.Equal(t, []string{namespace}, (<-server.calls).Get("temporal-namespace"))
	}
	require.Empty(t, servers[ownPort].calls)
}
