package access_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/metrics/metricstest"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/temporal-server/access"
)

const timeout = 10 * time.Second

func revocationJSON(tokens, certificates string) string {
	return fmt.Sprintf(`{"generatedAt":"2026-01-01T00:00:00Z","tokens":[%s],"certificates":[%s]}`, tokens, certificates)
}

// all is the number of calls of passes.
const all = 3

// countPermitted counts the permitted calls with the fewest requirements.
func countPermitted(t *testing.T, g *access.Guard, token string, serial int64) int {
	t.Helper()
	passed := 0
	calls := map[string]proto.Message{
		grpc_health_v1.Health_Check_FullMethodName:                       &grpc_health_v1.HealthCheckRequest{},
		workflowservice.WorkflowService_GetSystemInfo_FullMethodName:     &workflowservice.GetSystemInfoRequest{},
		workflowservice.WorkflowService_DescribeNamespace_FullMethodName: &workflowservice.DescribeNamespaceRequest{Namespace: "alpha"},
	}
	for api, request := range calls {
		if decide(t, g, token, serial, api, request).Decision == authorization.DecisionAllow {
			passed++
		}
	}
	return passed
}

func TestRevocationsEndEveryCall(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g := newGuard(t, p.options())
	token, other := p.signToken(t, map[string]any{"jti": "t1"}), p.signToken(t, map[string]any{"jti": "t2"})
	require.Equal(t, all, countPermitted(t, g, token, 0xab))

	p.revocation.Store(revocationJSON(`"t1"`, `"00AB"`))
	require.Eventually(t, func() bool { return countPermitted(t, g, token, 1) == 0 }, timeout, time.Millisecond)
	require.Eventually(t, func() bool { return countPermitted(t, g, "", 0xab) == 0 }, timeout, time.Millisecond, "also without a token")
	require.Zero(t, countPermitted(t, g, other, 0xab))
	require.Equal(t, all, countPermitted(t, g, other, 0xabc))
}

func TestRevocationsOutliveTheirPublisher(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]string{
		"down": "", "nonsense": "<html>", "no list": `{}`, "another replica that has not heard": revocationJSON("", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublisher(t)
			o := p.options()
			log := &logLines{}
			o.Logger = slog.New(slog.NewJSONHandler(log, nil))
			p.revocation.Store(revocationJSON(`"t1"`, ``))
			g := newGuard(t, o)
			token := p.signToken(t, map[string]any{"jti": "t1"})
			require.Zero(t, countPermitted(t, g, token, 1))

			p.revocation.Store(broken)
			if name != "another replica that has not heard" {
				require.Eventually(t, func() bool {
					return strings.Contains(log.String(), `keeping the previous one","document":"revocations"`)
				}, timeout, time.Millisecond)
			}
			p.revocation.Store(revocationJSON(`"t2"`, ``))
			require.Eventually(t, func() bool { return countPermitted(t, g, p.signToken(t, map[string]any{"jti": "t2"}), 1) == 0 }, timeout, time.Millisecond)
			require.Zero(t, countPermitted(t, g, token, 1))
		})
	}
}

func TestRevocationsThatAreNoLongerListedAreForgotten(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	var mu sync.Mutex
	ahead := time.Duration(0)
	o.Clock = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return time.Now().Add(ahead)
	}
	p.revocation.Store(revocationJSON(`"t1"`, ``))
	g := newGuard(t, o)
	token := p.signToken(t, map[string]any{"jti": "t1"})
	require.Zero(t, countPermitted(t, g, token, 1))
	p.revocation.Store(revocationJSON(``, ``))
	mu.Lock()
	ahead = 10 * time.Minute
	mu.Unlock()
	require.Eventually(t, func() bool { return countPermitted(t, g, token, 1) == all }, timeout, time.Millisecond)
}

func TestDenialsAndDocumentsAreMeasured(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	handler := metricstest.NewCaptureHandler()
	capture := handler.StartCapture()
	o.Metrics = handler
	g := newGuard(t, o)
	decide(t, g, "", 1, workflowservice.WorkflowService_ListWorkflowExecutions_FullMethodName, &workflowservice.ListWorkflowExecutionsRequest{Namespace: "alpha"})
	decide(t, g, "nonsense", 1, workflowservice.WorkflowService_ListWorkflowExecutions_FullMethodName, &workflowservice.ListWorkflowExecutionsRequest{Namespace: "alpha"})
	refused := capture.Snapshot()["procession_calls_refused"]
	require.Len(t, refused, 2)
	require.Equal(t, map[string]string{"reason": "method", "method": "ListWorkflowExecutions"}, refused[0].Tags)
	require.Equal(t, map[string]string{"reason": "token", "method": "ListWorkflowExecutions"}, refused[1].Tags)
	for _, age := range capture.Snapshot()["procession_document_age_seconds"] {
		require.Contains(t, []string{"token_keys", "revocations"}, age.Tags["document"])
	}

	p.revocation.Store("")
	require.Eventually(t, func() bool {
		failures := capture.Snapshot()["procession_document_read_failures"]
		return len(failures) > 1 && failures[0].Tags["document"] == "revocations"
	}, timeout, time.Millisecond)
	ages := capture.Snapshot()["procession_document_age_seconds"]
	last, ok := ages[len(ages)-1].Value.(float64)
	require.True(t, ok)
	require.Positive(t, last)
}

// logLines collects a log.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
