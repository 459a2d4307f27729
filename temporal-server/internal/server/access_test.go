package server_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/api/adminservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// call is one request over a prepared connection.
type call func(ctx context.Context, conn *grpc.ClientConn) error

func describeCall(namespace string) call {
	return func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := workflowservice.NewWorkflowServiceClient(conn).DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
		return err
	}
}

func listCall(namespace string) call {
	return func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := workflowservice.NewWorkflowServiceClient(conn).ListWorkflowExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: namespace})
		return err
	}
}

// historyCall asks for the history of a workflow that does not exist, as a worker may.
func historyCall(namespace string) call {
	return func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := workflowservice.NewWorkflowServiceClient(conn).GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
			Namespace: namespace, Execution: &common.WorkflowExecution{WorkflowId: "none"},
		})
		if status.Code(err) == codes.NotFound {
			return nil
		}
		return err
	}
}

func systemInfo(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := workflowservice.NewWorkflowServiceClient(conn).GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	return err
}

func checkHealth(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return err
}

func TestFrontendDecidesByCertificateAndToken(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	w := startTestServer(t, nil)
	w.addNamespace(t, "alpha")
	w.addNamespace(t, "beta")

	alpha, beta, system := w.ca.client(t, "alpha"), w.ca.client(t, "beta"), w.ca.client(t, "temporal-system")
	renewed, colleague, impostor := w.ca.client(t, "alpha"), w.ca.clientOf(t, "robot-2", "alpha"), w.ca.clientOf(t, "robot-1", "temporal-system")
	twoUnits, noUnit := w.ca.client(t, "alpha", "beta"), w.ca.client(t)
	good := w.issuer.sign(t, claims("alpha", "q1"))
	admin := w.issuer.sign(t, systemClaims())
	past := time.Now().Add(-time.Minute).Unix()
	edit := func(name string, value any) string {
		return w.issuer.sign(t, withClaim(claims("alpha", "q1"), name, value))
	}
	_, issuerKey := w.issuer.current()
	publicDER, err := x509.MarshalPKIXPublicKey(issuerKey.Public())
	require.NoError(t, err)

	for name, c := range map[string]struct {
		conn    *grpc.ClientConn
		call    call
		allowed bool
		stream  bool
	}{
		"own namespace":                             {w.dial(t, &alpha, good), historyCall("alpha"), true, false},
		"system everywhere":                         {w.dial(t, &system, admin), listCall("beta"), true, false},
		"system lists namespaces":                   {w.dial(t, &system, admin), listNamespaces, true, false},
		"system uses operator methods":              {w.dial(t, &system, admin), listSearchAttributes("alpha"), true, false},
		"no token: system info":                     {w.dial(t, &alpha, ""), systemInfo, true, false},
		"no token: own namespace described":         {w.dial(t, &alpha, ""), describeCall("alpha"), true, false},
		"no token: health":                          {w.dial(t, &alpha, ""), checkHealth, true, false},
		"no token: health without a namespace":      {w.dial(t, &noUnit, ""), checkHealth, true, false},
		"no token: other namespace described":       {w.dial(t, &alpha, ""), describeCall("beta"), false, false},
		"no token: anything else":                   {w.dial(t, &alpha, ""), historyCall("alpha"), false, false},
		"no token: system certificate":              {w.dial(t, &system, ""), historyCall("alpha"), false, false},
		"expired":                                   {w.dial(t, &alpha, edit("exp", past)), historyCall("alpha"), false, false},
		"expired: system info":                      {w.dial(t, &alpha, edit("exp", past)), systemInfo, false, false},
		"no exp":                                    {w.dial(t, &alpha, edit("exp", nil)), historyCall("alpha"), false, false},
		"zero exp":                                  {w.dial(t, &alpha, edit("exp", 0)), historyCall("alpha"), false, false},
		"exp as text":                               {w.dial(t, &alpha, edit("exp", "2099-01-01")), historyCall("alpha"), false, false},
		"not yet valid":                             {w.dial(t, &alpha, edit("nbf", time.Now().Add(time.Hour).Unix())), historyCall("alpha"), false, false},
		"wrong iss":                                 {w.dial(t, &alpha, edit("iss", "else")), historyCall("alpha"), false, false},
		"no iss":                                    {w.dial(t, &alpha, edit("iss", nil)), historyCall("alpha"), false, false},
		"wrong aud":                                 {w.dial(t, &alpha, edit("aud", []string{"else"})), historyCall("alpha"), false, false},
		"no aud":                                    {w.dial(t, &alpha, edit("aud", nil)), historyCall("alpha"), false, false},
		"one aud of two":                            {w.dial(t, &alpha, edit("aud", []string{"else", "temporal"})), historyCall("alpha"), true, false},
		"no sub":                                    {w.dial(t, &alpha, edit("sub", nil)), historyCall("alpha"), false, false},
		"empty sub":                                 {w.dial(t, &alpha, edit("sub", "")), historyCall("alpha"), false, false},
		"no permissions":                            {w.dial(t, &alpha, edit("permissions", nil)), historyCall("alpha"), false, false},
		"forged signature":                          {w.dial(t, &alpha, sign(t, jwt.SigningMethodES256, "k1", newKey(t), claims("alpha", "q1"))), historyCall("alpha"), false, false},
		"unknown key":                               {w.dial(t, &alpha, sign(t, jwt.SigningMethodES256, "k9", issuerKey, claims("alpha", "q1"))), historyCall("alpha"), false, false},
		"no key id":                                 {w.dial(t, &alpha, sign(t, jwt.SigningMethodES256, "", issuerKey, claims("alpha", "q1"))), historyCall("alpha"), false, false},
		"public key as a shared secret":             {w.dial(t, &alpha, sign(t, jwt.SigningMethodHS256, "k1", publicDER, claims("alpha", "q1"))), historyCall("alpha"), false, false},
		"no signature":                              {w.dial(t, &alpha, sign(t, jwt.SigningMethodNone, "k1", jwt.UnsafeAllowNoneSignatureType, claims("alpha", "q1"))), historyCall("alpha"), false, false},
		"not a token":                               {w.dial(t, &alpha, "nonsense"), historyCall("alpha"), false, false},
		"token of another namespace":                {w.dial(t, &alpha, w.issuer.sign(t, claims("beta", "q1"))), historyCall("alpha"), false, false},
		"token of another namespace, used there":    {w.dial(t, &alpha, w.issuer.sign(t, claims("beta", "q1"))), historyCall("beta"), false, false},
		"certificate of another namespace":          {w.dial(t, &beta, good), historyCall("alpha"), false, false},
		"certificate of two namespaces":             {w.dial(t, &twoUnits, good), historyCall("alpha"), false, false},
		"certificate of no namespace":               {w.dial(t, &noUnit, good), historyCall("alpha"), false, false},
		"tenant token with the system certificate":  {w.dial(t, &system, good), historyCall("alpha"), false, false},
		"own namespace, renewed certificate":        {w.dial(t, &renewed, good), historyCall("alpha"), true, false},
		"another subject's certificate":             {w.dial(t, &colleague, good), historyCall("alpha"), false, false},
		"another subject's certificate: info":       {w.dial(t, &colleague, good), systemInfo, false, false},
		"system token, another system certificate":  {w.dial(t, &impostor, admin), listCall("beta"), false, false},
		"system token with a tenant certificate":    {w.dial(t, &alpha, admin), historyCall("alpha"), false, false},
		"tenant in the system namespace":            {w.dial(t, &alpha, w.issuer.sign(t, claims("temporal-system"))), listCall("temporal-system"), false, false},
		"tenant creates a namespace":                {w.dial(t, &alpha, good), registerNamespace, false, false},
		"tenant updates its namespace":              {w.dial(t, &alpha, good), updateNamespace, false, false},
		"tenant lists namespaces":                   {w.dial(t, &alpha, good), listNamespaces, false, false},
		"tenant asks for the cluster":               {w.dial(t, &alpha, good), clusterInfo, false, false},
		"tenant describes a namespace by id":        {w.dial(t, &alpha, good), describeByID, false, false},
		"tenant uses operator methods":              {w.dial(t, &alpha, good), listSearchAttributes("alpha"), false, false},
		"tenant uses admin methods":                 {w.dial(t, &alpha, good), adminCluster, false, false},
		"tenant opens an admin stream":              {w.dial(t, &alpha, good), adminStream, false, true},
		"tenant asks for the methods by reflection": {w.dial(t, &alpha, good), callReflection, false, true},
		"tenant starts where it may not poll":       {w.dial(t, &alpha, good), startCall("alpha", "q2"), false, false},
		"tenant starts on its own queue":            {w.dial(t, &alpha, good), startCall("alpha", "q1"), false, false},
		"tenant lists its workflows":                {w.dial(t, &alpha, good), listCall("alpha"), false, false},
		"no jti":                                    {w.dial(t, &alpha, edit("jti", nil)), historyCall("alpha"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.call(t.Context(), c.conn)
			if c.allowed {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "Request unauthorized.")
			if !c.stream { // Temporal does not translate a stream's error into a gRPC code
				require.Equal(t, codes.PermissionDenied, status.Code(err), "%v", err)
			}
		})
	}
}

func TestTLSLayerRefuses(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	foreign := newAuthority(t, "engine CA").client(t, "temporal-system") // same CA name, another key
	serverOnly := w.ca.server(t)
	for name, conn := range map[string]*grpc.ClientConn{
		"a foreign CA":         w.dial(t, &foreign, w.issuer.sign(t, systemClaims())),
		"no certificate":       w.dial(t, nil, w.issuer.sign(t, systemClaims())),
		"a server certificate": w.dial(t, &serverOnly, w.issuer.sign(t, systemClaims())),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, codes.Unavailable, status.Code(checkHealth(t.Context(), conn)))
		})
	}
}

func TestPollsKeepToTheTokensQueues(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	w.addNamespace(t, "alpha")
	cert := w.ca.client(t, "alpha")
	granted := w.dial(t, &cert, w.issuer.sign(t, claims("alpha", "q1")))
	none := w.dial(t, &cert, w.issuer.sign(t, withClaim(claims("alpha"), "task_queues", nil)))
	other := w.dial(t, &cert, w.issuer.sign(t, claims("beta", "q1")))
	sticky := &taskqueue.TaskQueue{Name: "host:" + uuid.NewString(), Kind: enums.TASK_QUEUE_KIND_STICKY, NormalName: "q1"}

	for name, c := range map[string]struct {
		conn    *grpc.ClientConn
		queue   *taskqueue.TaskQueue
		allowed bool
	}{
		"a granted queue":                        {granted, &taskqueue.TaskQueue{Name: "q1"}, true},
		"another queue":                          {granted, &taskqueue.TaskQueue{Name: "q2"}, false},
		"a partition of another queue":           {granted, &taskqueue.TaskQueue{Name: "/_sys/q2/1"}, false},
		"no queue":                               {granted, nil, false},
		"no queues in the token":                 {none, &taskqueue.TaskQueue{Name: "q1"}, false},
		"another tenant's token":                 {other, &taskqueue.TaskQueue{Name: "q1"}, false},
		"a sticky queue of another queue":        {granted, &taskqueue.TaskQueue{Name: sticky.GetName(), Kind: enums.TASK_QUEUE_KIND_STICKY, NormalName: "q2"}, false},
		"another queue dressed up as sticky":     {granted, &taskqueue.TaskQueue{Name: "q2", Kind: enums.TASK_QUEUE_KIND_STICKY, NormalName: "q1"}, false},
		"a granted name with a foreign relative": {granted, &taskqueue.TaskQueue{Name: "q2", NormalName: "q1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, poll := range pollCalls(c.conn, c.queue) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				if c.allowed {
					// An allowed poll waits for a task; the deadline only says that it was not refused.
					cancel()
					ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
				}
				err := poll(ctx)
				cancel()
				if c.allowed {
					require.NotEqual(t, codes.PermissionDenied, status.Code(err), "%s: %v", kind, err)
				} else {
					require.Equal(t, codes.PermissionDenied, status.Code(err), "%s: %v", kind, err)
				}
			}
		})
	}
	t.Run("a sticky queue of a granted queue", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		require.NotEqual(t, codes.PermissionDenied, status.Code(pollCalls(granted, sticky)["workflow"](ctx)))
	})
}

func pollCalls(conn *grpc.ClientConn, queue *taskqueue.TaskQueue) map[string]func(context.Context) error {
	api := workflowservice.NewWorkflowServiceClient(conn)
	return map[string]func(context.Context) error{
		"workflow": func(ctx context.Context) error {
			_, err := api.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{Namespace: "alpha", TaskQueue: queue})
			return err
		},
		"activity": func(ctx context.Context) error {
			_, err := api.PollActivityTaskQueue(ctx, &workflowservice.PollActivityTaskQueueRequest{Namespace: "alpha", TaskQueue: queue})
			return err
		},
		"nexus": func(ctx context.Context) error {
			_, err := api.PollNexusTaskQueue(ctx, &workflowservice.PollNexusTaskQueueRequest{Namespace: "alpha", TaskQueue: queue})
			return err
		},
	}
}

func TestDenialIsLoggedOnceWithoutTheToken(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	cert := w.ca.client(t, "alpha")
	token := w.issuer.sign(t, withClaim(claims("alpha"), "exp", time.Now().Add(-time.Minute).Unix()))
	require.Error(t, listCall("gamma")(t.Context(), w.dial(t, &cert, token)))

	lines := w.log.lines("call refused")
	require.Len(t, lines, 1)
	for _, part := range []string{
		`"namespace":"gamma"`, `"api":"/temporal.api.workflowservice.v1.WorkflowService/ListWorkflowExecutions"`,
		`"subject":"robot-1"`, `"certificate":"alpha"`, `"class":"token"`, `"reason":"token refused: `, "expired",
	} {
		require.Contains(t, lines[0], part)
	}
	require.NotContains(t, fmt.Sprint(w.log.lines("")), token[:20])
}

func TestKeysMayArriveAndRotateLater(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	cert := w.ca.client(t, "temporal-system")
	token := w.issuer.sign(t, systemClaims())
	late := newIssuer(t)
	late.up.Store(false)
	w2 := startTestServer(t, func(o *options.Options) { o.JWKSURL, o.JWKSRefresh = late.http.URL+"/jwks.json", time.Hour })
	cert2 := w2.ca.client(t, "temporal-system")

	require.NoError(t, systemInfo(t.Context(), w.dial(t, &cert, token)))
	w.issuer.up.Store(false)
	require.Eventually(t, func() bool { return len(w.log.lines(`keeping the previous one","document":"token_keys"`)) == 1 }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, systemInfo(t.Context(), w.dial(t, &cert, token)), "an unreachable key set keeps its keys")

	conn := w2.dial(t, &cert2, late.sign(t, systemClaims()))
	require.Equal(t, codes.PermissionDenied, status.Code(systemInfo(t.Context(), conn)))
	late.up.Store(true)
	require.Eventually(t, func() bool { return systemInfo(t.Context(), conn) == nil }, 10*time.Second, 20*time.Millisecond,
		"the first keys are found without waiting for --jwks-refresh")

	late.rotate(t, "k2")
	next := w2.dial(t, &cert2, late.sign(t, systemClaims()))
	require.Eventually(t, func() bool { return systemInfo(t.Context(), next) == nil }, 10*time.Second, 20*time.Millisecond,
		"an unknown key is looked up early")
}

func listNamespaces(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := workflowservice.NewWorkflowServiceClient(conn).ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{})
	return err
}

func clusterInfo(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := workflowservice.NewWorkflowServiceClient(conn).GetClusterInfo(ctx, &workflowservice.GetClusterInfoRequest{})
	return err
}

func registerNamespace(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := workflowservice.NewWorkflowServiceClient(conn).RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{Namespace: "alpha"})
	return err
}

func updateNamespace(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := workflowservice.NewWorkflowServiceClient(conn).UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{Namespace: "alpha"})
	return err
}

func describeByID(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := workflowservice.NewWorkflowServiceClient(conn).DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: "alpha", Id: uuid.NewString()})
	return err
}

func listSearchAttributes(namespace string) call {
	return func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := operatorservice.NewOperatorServiceClient(conn).ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		return err
	}
}

func adminCluster(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := adminservice.NewAdminServiceClient(conn).DescribeCluster(ctx, &adminservice.DescribeClusterRequest{})
	return err
}

func adminStream(ctx context.Context, conn *grpc.ClientConn) error {
	stream, err := adminservice.NewAdminServiceClient(conn).StreamWorkflowReplicationMessages(ctx)
	if err != nil {
		return err
	}
	_, err = stream.Recv()
	return err
}

func callReflection(ctx context.Context, conn *grpc.ClientConn) error {
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	if err != nil {
		return err
	}
	_, err = stream.Recv()
	return err
}

func startCall(namespace, queue string) call {
	return func(ctx context.Context, conn *grpc.ClientConn) error {
		_, err := workflowservice.NewWorkflowServiceClient(conn).StartWorkflowExecution(ctx, startRequest(namespace, queue))
		return err
	}
}
