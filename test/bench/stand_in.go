package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"regexp"

	"github.com/google/uuid"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// standIn serves the calls of an idle service in place of Temporal: every namespace exists, no workflow has ended, and
// every workflow runs. It takes more tenants than a Temporal on one machine.
type standIn struct {
	workflowservice.UnimplementedWorkflowServiceServer
	operatorservice.UnimplementedOperatorServiceServer
}

// startStandIn serves at Temporal's address with Temporal's certificate.
func (s *stack) startStandIn(ctx context.Context) error {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(s.dir, "server.pem"), filepath.Join(s.dir, "server-key.pem"))
	if err != nil {
		return fmt.Errorf("reading Temporal's certificate: %w", err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", s.temporal)
	if err != nil {
		return fmt.Errorf("listening in Temporal's place: %w", err)
	}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAnyClientCert,
	})))
	workflowservice.RegisterWorkflowServiceServer(server, standIn{})
	operatorservice.RegisterOperatorServiceServer(server, standIn{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	s.onStop(func(context.Context) error {
		server.Stop()
		return <-served
	})
	return nil
}

func (standIn) GetSystemInfo(
	context.Context, *workflowservice.GetSystemInfoRequest,
) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{Capabilities: &workflowservice.GetSystemInfoResponse_Capabilities{}}, nil
}

func (standIn) DescribeNamespace(
	_ context.Context, r *workflowservice.DescribeNamespaceRequest,
) (*workflowservice.DescribeNamespaceResponse, error) {
	return &workflowservice.DescribeNamespaceResponse{NamespaceInfo: &namespace.NamespaceInfo{
		Name: r.GetNamespace(), State: enums.NAMESPACE_STATE_REGISTERED,
	}}, nil
}

func (standIn) ListSearchAttributes(
	context.Context, *operatorservice.ListSearchAttributesRequest,
) (*operatorservice.ListSearchAttributesResponse, error) {
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: map[string]enums.IndexedValueType{
		"KuFlowWorkflowVersion": enums.INDEXED_VALUE_TYPE_INT,
	}}, nil
}

func (standIn) CountWorkflowExecutions(
	context.Context, *workflowservice.CountWorkflowExecutionsRequest,
) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	return &workflowservice.CountWorkflowExecutionsResponse{}, nil
}

var askedFor = regexp.MustCompile(`process-[0-9a-f-]{36}`)

// ListWorkflowExecutions returns the workflows that the query names, as running ones. Queries for ends name none.
func (standIn) ListWorkflowExecutions(
	_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest,
) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	listed := &workflowservice.ListWorkflowExecutionsResponse{}
	for _, id := range askedFor.FindAllString(r.GetQuery(), -1) {
		listed.Executions = append(listed.Executions, runningExecution(id))
	}
	return listed, nil
}

func (standIn) DescribeWorkflowExecution(
	_ context.Context, r *workflowservice.DescribeWorkflowExecutionRequest,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: runningExecution(r.GetExecution().GetWorkflowId())}, nil
}

func runningExecution(workflowID string) *workflow.WorkflowExecutionInfo {
	return &workflow.WorkflowExecutionInfo{
		Execution: &common.WorkflowExecution{WorkflowId: workflowID}, Status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING,
	}
}

func (standIn) StartWorkflowExecution(
	context.Context, *workflowservice.StartWorkflowExecutionRequest,
) (*workflowservice.StartWorkflowExecutionResponse, error) {
	return &workflowservice.StartWorkflowExecutionResponse{RunId: uuid.NewString(), Started: true}, nil
}

func (standIn) CreateSchedule(
	context.Context, *workflowservice.CreateScheduleRequest,
) (*workflowservice.CreateScheduleResponse, error) {
	return &workflowservice.CreateScheduleResponse{}, nil
}

func (standIn) DescribeTaskQueue(
	context.Context, *workflowservice.DescribeTaskQueueRequest,
) (*workflowservice.DescribeTaskQueueResponse, error) {
	return &workflowservice.DescribeTaskQueueResponse{}, nil
}

// Polls wait, as they do where there is no task.

func (standIn) PollWorkflowTaskQueue(
	ctx context.Context, _ *workflowservice.PollWorkflowTaskQueueRequest,
) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	<-ctx.Done()
	return &workflowservice.PollWorkflowTaskQueueResponse{}, nil
}

func (standIn) PollActivityTaskQueue(
	ctx context.Context, _ *workflowservice.PollActivityTaskQueueRequest,
) (*workflowservice.PollActivityTaskQueueResponse, error) {
	<-ctx.Done()
	return &workflowservice.PollActivityTaskQueueResponse{}, nil
}

func (standIn) PollNexusTaskQueue(
	ctx context.Context, _ *workflowservice.PollNexusTaskQueueRequest,
) (*workflowservice.PollNexusTaskQueueResponse, error) {
	<-ctx.Done()
	return &workflowservice.PollNexusTaskQueueResponse{}, nil
}
