package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/devstack/officialtemporal"
)

// operatorAccess contains the files that the command line wrote for an operator.
type operatorAccess struct {
	s        *testStack
	tokenID  string
	temporal workflowservice.WorkflowServiceClient
}

// issueAccess lets an operator issue himself access to the namespace demo.
func (s *testStack) issueAccess(operator demo.Account, expires string) operatorAccess {
	s.t.Helper()
	folder, asOperator := s.t.TempDir(), s.asking(operator)
	printed(s.t, append([]string{
		"access", "issue", "--operator", "--tenant", "demo", "--expires", expires, "--directory", folder,
	}, asOperator...)...)
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(s.t, err)
		return text
	}
	pair, err := tls.X509KeyPair(read("client.pem"), read("client-key.pem"))
	require.NoError(s.t, err)
	roots := x509.NewCertPool()
	require.True(s.t, roots.AppendCertsFromPEM(read("ca.pem")))
	c, err := client.NewLazyClient(client.Options{
		HostPort: s.config.TemporalAddress, Namespace: "demo", Credentials: client.NewAPIKeyStaticCredentials(string(read("token"))),
		ConnectionOptions: client.ConnectionOptions{TLS: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}},
	})
	require.NoError(s.t, err)
	s.t.Cleanup(c.Close)
	id := printed(s.t, append([]string{
		"access", "list", "--kind", "token", "-o", "jq=map(select(.readOnly))|max_by(.issuedAt).id",
	}, asOperator...)...)
	return operatorAccess{s: s, tokenID: strings.TrimSpace(id), temporal: c.WorkflowService()}
}

// Temporal's own command line reads the namespace of the service, and changes nothing there.
func (s *testStack) requireTemporalCLI(operator demo.Account) {
	s.t.Helper()
	folder := s.t.TempDir()
	printed(s.t, append([]string{"access", "issue", "--operator", "--service", "--directory", folder}, s.asking(operator)...)...)
	binary, err := officialtemporal.Find()
	require.NoError(s.t, err)
	token, err := os.ReadFile(filepath.Join(folder, "token"))
	require.NoError(s.t, err)
	run := func(namespace string, args ...string) (string, error) {
		cmd := exec.CommandContext(s.t.Context(), binary, append(args, "--address", s.config.TemporalAddress, "--namespace", namespace,
			"--tls-ca-path", filepath.Join(folder, "ca.pem"), "--tls-cert-path", filepath.Join(folder, "client.pem"),
			"--tls-key-path", filepath.Join(folder, "client-key.pem"))...)
		cmd.Env = append(os.Environ(), "TEMPORAL_API_KEY="+string(token))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	own := s.config.TemporalNamespace
	for _, args := range [][]string{{"workflow", "list"}, {"schedule", "list"}, {"workflow", "count"}} {
		out, err := run(own, args...)
		require.NoError(s.t, err, out)
	}
	for namespace, args := range map[string][]string{
		"demo": {"workflow", "list"}, own: {"workflow", "terminate", "--workflow-id", "any", "--reason", "test"},
	} {
		out, err := run(namespace, args...)
		require.Error(s.t, err)
		require.Contains(s.t, strings.ToLower(out), "unauthorized")
	}
}

// lists asks for the workflows of a namespace.
func (a operatorAccess) lists(namespace string) error {
	ctx, cancel := context.WithTimeout(a.s.t.Context(), testTimeout)
	defer cancel()
	_, err := a.temporal.ListWorkflowExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: namespace})
	return err
}

func denied(err error) bool {
	var deniedErr *serviceerror.PermissionDenied
	return errors.As(err, &deniedErr)
}

// requireReads requires that the process of a tenant can be read, and neither changed nor
// worked on, and that other namespaces stay closed.
func (a operatorAccess) requireReads(process uuid.UUID) {
	t := a.s.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	execution := &common.WorkflowExecution{WorkflowId: "process-" + process.String()}
	queue := &taskqueue.TaskQueue{Name: "QUEUE_SAMPLE_LOAN", Kind: enums.TASK_QUEUE_KIND_NORMAL}
	require.NoError(t, a.lists("demo"))
	a.s.await("the workflow to run", func() bool {
		described, err := a.temporal.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
			Namespace: "demo", Execution: execution,
		})
		return err == nil && described.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	})
	history, err := a.temporal.GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: "demo", Execution: execution,
	})
	require.NoError(t, err)
	require.NotEmpty(t, history.GetHistory().GetEvents())
	_, err = a.temporal.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{Namespace: "demo", TaskQueue: queue})
	require.NoError(t, err)

	require.True(t, denied(a.lists("other")))
	for name, call := range map[string]func() error{
		"start": func() error {
			_, err := a.temporal.StartWorkflowExecution(ctx, &workflowservice.StartWorkflowExecutionRequest{
				Namespace: "demo", WorkflowId: "mine", WorkflowType: &common.WorkflowType{Name: "LoanWorkflow"}, TaskQueue: queue,
				RequestId: uuid.NewString(),
			})
			return err
		},
		"signal": func() error {
			_, err := a.temporal.SignalWorkflowExecution(ctx, &workflowservice.SignalWorkflowExecutionRequest{
				Namespace: "demo", WorkflowExecution: execution, SignalName: "mine",
			})
			return err
		},
		"terminate": func() error {
			_, err := a.temporal.TerminateWorkflowExecution(ctx, &workflowservice.TerminateWorkflowExecutionRequest{
				Namespace: "demo", WorkflowExecution: execution,
			})
			return err
		},
		"poll": func() error {
			_, err := a.temporal.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{Namespace: "demo", TaskQueue: queue})
			return err
		},
		"query": func() error {
			_, err := a.temporal.QueryWorkflow(ctx, &workflowservice.QueryWorkflowRequest{Namespace: "demo", Execution: execution})
			return err
		},
		"namespaces": func() error {
			_, err := a.temporal.ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{})
			return err
		},
	} {
		require.True(t, denied(call()), name)
	}
	require.Equal(t, "RUNNING", a.s.processState(process))
}

// operator makes Alice an operator.
func (s *testStack) operator() demo.Account {
	s.t.Helper()
	alice := demo.Alice()
	alice.Secret = strings.TrimSpace(printed(s.t, "operators", "add", "--email", alice.Email, "--token",
		"--database-url", s.config.DatabaseURL))
	return alice
}
