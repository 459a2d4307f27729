package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/devstack/demo"
)

// fixed returns the source of one token.
func fixed(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// denied reports whether Temporal refuses a client to poll, and to read about the
// system. It does not wait for a task.
func (s *testStack) denied(c client.Client) (poll, systemInfo bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := c.WorkflowService().PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: "demo", Identity: "test",
		TaskQueue: &taskqueue.TaskQueue{Name: probeQueue, Kind: enums.TASK_QUEUE_KIND_NORMAL},
	})
	var deniedErr *serviceerror.PermissionDenied
	poll = errors.As(err, &deniedErr)
	ctx, cancel = context.WithTimeout(s.t.Context(), testTimeout)
	defer cancel()
	_, err = c.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	return poll, errors.As(err, &deniedErr)
}

func (s *testStack) requireServed(c client.Client, why string) {
	s.t.Helper()
	poll, systemInfo := s.denied(c)
	require.False(s.t, poll, why)
	require.False(s.t, systemInfo, why)
}

// awaitDenied waits until Temporal refuses a client everything.
func (s *testStack) awaitDenied(c client.Client, why string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		poll, systemInfo := s.denied(c)
		return poll && systemInfo
	}, time.Minute, 100*time.Millisecond, why)
}

// Revoked credentials are refused within a minute, on open connections too. Credentials of operators for a
// namespace only read it until then.
func TestRevokedWorkersAreDenied(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	account, other := s.engineAccount(demo.LoanWorker()), s.engineAccount(demo.LoanWorker())
	id, token, err := account.token()
	require.NoError(t, err)
	_, kept, err := account.token()
	require.NoError(t, err)
	revoked, beside := account.client(fixed(token)), account.client(fixed(kept))
	elsewhere := other.client(fixed(kept))
	s.requireServed(revoked, "before")
	operator := s.operator()
	reader, brief := s.issueAccess(operator, "30m"), s.issueAccess(operator, "20s")
	reader.requireReads(s.createLoan(uuid.New()))
	s.requireTemporalCLI(operator)

	asAlice := s.asking(demo.Alice())
	require.Equal(t, "1 revoked\n", printed(t, append([]string{"access", "revoke", id}, asAlice...)...))
	require.Equal(t, "1 revoked\n", printed(t, append([]string{"access", "revoke", reader.tokenID}, asAlice...)...))
	s.awaitDenied(revoked, "its token is revoked")
	s.await("the operator's token to be refused", func() bool { return denied(reader.lists("demo")) })
	s.await("the operator's token to expire", func() bool { return denied(brief.lists("demo")) })
	s.requireServed(beside, "with another token")

	certificate := printed(t, append([]string{
		"access", "list", "--kind", "certificate", "-o", "jq=min_by(.issuedAt).id",
	}, asAlice...)...)
	alice := s.browse(demo.Alice().Secret)
	alice.open("people/demo/Application/loan-worker")
	alice.Click("form[action$='/access'] button[value='" + certificate[:36] + "']")
	alice.AwaitText("revoked")
	s.awaitDenied(beside, "its certificate is revoked")
	s.requireServed(elsewhere, "with another certificate")

	require.NotEqual(t, "0 revoked\n", printed(t, append([]string{
		"access", "revoke", "--principal", demo.LoanWorker().ID.String(),
	}, asAlice...)...))
	s.awaitDenied(elsewhere, "all of the principal is revoked")
	again := s.engineAccount(demo.LoanWorker())
	_, fresh, err := again.token()
	require.NoError(t, err)
	s.requireServed(again.client(fixed(fresh)), "an application that is not disabled may ask again")
	require.Equal(t, http.StatusOK, s.get(s.url()+"/.well-known/engine-revocations.json"))
}

// A worker with revoked access to Temporal gets new credentials. A worker of a disabled application of a person
// who left stops with an error.
func TestWorkerWhoseAccessIsRevoked(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	worker := s.startWorker()
	s.awaitItem(s.createLoan(uuid.New()), "LOAN_APPLICATION")
	asAlice := s.asking(demo.Alice())
	revokeAccess := append([]string{"access", "revoke", "--principal", demo.LoanWorker().ID.String()}, asAlice...)
	// A poll that is open is checked when it ends, so each look begins another loan.
	logs := func(text string) func() bool {
		return func() bool {
			s.createLoan(uuid.New())
			log, err := os.ReadFile(filepath.Join(s.dir, "worker.log"))
			require.NoError(t, err)
			return strings.Contains(string(log), text)
		}
	}

	require.NotEqual(t, "0 revoked\n", printed(t, revokeAccess...))
	require.Eventually(t, logs("Temporal denies the worker, getting access again"), 2*time.Minute, time.Second)
	s.awaitItem(s.createLoan(uuid.New()), "LOAN_APPLICATION")

	s.leaves(demo.Bob(), "loan-worker")
	require.Eventually(t, logs("the service refuses the worker's credentials"), 2*time.Minute, time.Second)
	<-worker.Done()
	require.Error(t, worker.Err())
	status, body := s.call(demo.LoanWorker(), http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
	require.Equal(t, http.StatusUnauthorized, status, body)
}

// leaves disables a user and an application in the console, and requires that the user is out of the browser and of the
// API.
func (s *testStack) leaves(user demo.Account, application string) {
	s.t.Helper()
	his, alice := s.browse(user.Secret), s.browse(demo.Alice().Secret)
	his.Scripts(false)
	his.open("tasks")
	require.Contains(s.t, his.Path(), "tasks")
	for _, path := range []string{"User/" + strings.ToLower(user.Name) + "/leave?do=disable", "Application/" + application} {
		alice.open("people/demo/" + path)
		alice.Eval(`{ const work = document.querySelector("select[name=handOver]"); if (work) work.value = "keep"; }`)
		alice.Click("form[action$='/disable'] button[value=true]")
		alice.Await(`document.querySelector("form[action$='/disable'] button[value=false]")`)
	}
	s.await("the session to end", func() bool {
		his.open("tasks")
		return strings.Contains(his.Path(), "/sign-in")
	})
	s.await("the token to be refused", func() bool {
		status, _ := s.call(user, http.MethodGet, "/processes", nil)
		return status == http.StatusUnauthorized
	})
}
