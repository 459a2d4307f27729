package engine_test

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/procession-dev/procession/engine"
)

// restrictedTemporal is a cluster on which the service may use the namespace "given" and administer none. The namespace
// "plain" lacks the search attribute.
type restrictedTemporal struct {
	workflowservice.UnimplementedWorkflowServiceServer
	operatorservice.UnimplementedOperatorServiceServer
}

func newDenial() error {
	return serviceerror.ToStatus(serviceerror.NewPermissionDenied("denied", "")).Err()
}

func (restrictedTemporal) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (restrictedTemporal) CountWorkflowExecutions(
	_ context.Context, r *workflowservice.CountWorkflowExecutionsRequest,
) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	switch r.GetNamespace() {
	case "given":
		return &workflowservice.CountWorkflowExecutionsResponse{}, nil
	case "plain":
		return nil, status.Error(3, "unknown search attribute")
	}
	return nil, serviceerror.ToStatus(serviceerror.NewNamespaceNotFound(r.GetNamespace())).Err()
}

func (restrictedTemporal) DescribeNamespace(
	_ context.Context, r *workflowservice.DescribeNamespaceRequest,
) (*workflowservice.DescribeNamespaceResponse, error) {
	if r.GetNamespace() == "missing" {
		return nil, serviceerror.ToStatus(serviceerror.NewNamespaceNotFound(r.GetNamespace())).Err()
	}
	return &workflowservice.DescribeNamespaceResponse{
		Config: &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(24 * time.Hour)},
	}, nil
}

func (restrictedTemporal) RegisterNamespace(
	context.Context, *workflowservice.RegisterNamespaceRequest,
) (*workflowservice.RegisterNamespaceResponse, error) {
	return nil, newDenial()
}

func (restrictedTemporal) ListSearchAttributes(
	context.Context, *operatorservice.ListSearchAttributesRequest,
) (*operatorservice.ListSearchAttributesResponse, error) {
	return nil, newDenial()
}

// Given namespaces need no permission of administrators. Without it, errors name the missing command.
func TestGivenNamespaces(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(server, restrictedTemporal{})
	operatorservice.RegisterOperatorServiceServer(server, restrictedTemporal{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	e, err := engine.New(engine.Options{
		Address: listener.Addr().String(), Credentials: engine.Credentials{Plaintext: true}, Namespace: "given",
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	defer e.Close()

	require.Equal(t, "given", e.Namespace())
	require.NoError(t, e.EnsureNamespace(t.Context(), "given"))
	state, err := e.InspectNamespace(t.Context(), "given")
	require.NoError(t, err)
	require.True(t, state.Usable())
	require.Equal(t, 24*time.Hour, state.Retention)

	require.ErrorContains(t, e.EnsureNamespace(t.Context(), "missing"),
		"has to run: temporal operator namespace create --namespace missing --retention 72h")
	require.ErrorContains(t, e.EnsureNamespace(t.Context(), "plain"),
		"has to run: temporal operator search-attribute create --namespace plain --name KuFlowWorkflowVersion --type Int")
}
