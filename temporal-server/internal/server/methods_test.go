package server_test

import (
	"context"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

const taskQueueMessage = "temporal.api.taskqueue.v1.TaskQueue"

// listMethods returns every method the frontend answers to, as it says itself.
func listMethods(t *testing.T, w *testServer) []protoreflect.MethodDescriptor {
	t.Helper()
	stream, err := grpc_reflection_v1.NewServerReflectionClient(w.system(t)).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	}))
	answer, err := stream.Recv()
	require.NoError(t, err)
	var methods []protoreflect.MethodDescriptor
	for _, mountedService := range answer.GetListServicesResponse().GetService() {
		found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(mountedService.GetName()))
		require.NoError(t, err)
		descriptor, ok := found.(protoreflect.ServiceDescriptor)
		require.True(t, ok)
		for i := range descriptor.Methods().Len() {
			methods = append(methods, descriptor.Methods().Get(i))
		}
	}
	require.NoError(t, stream.CloseSend())
	return methods
}

func fullName(m protoreflect.MethodDescriptor) string {
	return "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
}

// newRequest makes a request about namespace and queue and says whether it names each of them.
func newRequest(m protoreflect.MethodDescriptor, namespace, queue string) (message *dynamicpb.Message, namesNamespace, namesQueue bool) {
	message = dynamicpb.NewMessage(m.Input())
	for i := range m.Input().Fields().Len() {
		field := m.Input().Fields().Get(i)
		switch {
		case field.Kind() == protoreflect.StringKind && field.Name() == "namespace":
			message.Set(field, protoreflect.ValueOfString(namespace))
			namesNamespace = true
		case field.Kind() == protoreflect.MessageKind && field.Message().FullName() == taskQueueMessage:
			named := message.Mutable(field).Message()
			named.Set(field.Message().Fields().ByName("name"), protoreflect.ValueOfString(queue))
			namesQueue = true
		case field.Kind() == protoreflect.StringKind && field.Name() == "task_queue":
			message.Set(field, protoreflect.ValueOfString(queue))
			namesQueue = true
		}
	}
	return message, namesNamespace, namesQueue
}

// send calls a method and returns its error. An allowed poll waits for a task; the deadline only says that it was not refused.
func send(t *testing.T, conn *grpc.ClientConn, m protoreflect.MethodDescriptor, message *dynamicpb.Message) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if strings.Contains(string(m.Name()), "Poll") {
		ctx, cancel = context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
	}
	answer := dynamicpb.NewMessage(m.Output())
	if !m.IsStreamingClient() && !m.IsStreamingServer() {
		return conn.Invoke(ctx, fullName(m), message, answer)
	}
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, fullName(m))
	if err != nil {
		return err
	}
	if err := stream.SendMsg(message); err != nil {
		return stream.RecvMsg(answer) // the server's own word on it
	}
	return stream.RecvMsg(answer)
}

func isRefused(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Request unauthorized.")
}

// attempt is one way to call every method.
type attempt struct {
	name      string
	conn      *grpc.ClientConn
	namespace string
	queue     string
	passes    func(who access, namesNamespace, namesQueue bool) bool
}

// attempts returns a valid worker and all kinds of invalid ones.
func attempts(t *testing.T, w *testServer, foreign *authority) []attempt {
	t.Helper()
	alpha, beta, revokedCert := w.ca.client(t, "alpha"), w.ca.client(t, "beta"), w.ca.client(t, "alpha")
	strange, colleague := foreign.client(t, "alpha"), w.ca.clientOf(t, "robot-2", "alpha")
	good := claims("alpha", "q1")
	revokedClaims := withClaim(good, "jti", "revoked")
	w.issuer.revoke([]string{"revoked"}, []string{revokedCert.Leaf.SerialNumber.Text(16)})
	probe := w.dial(t, &revokedCert, "")
	require.Eventually(t, func() bool { return checkHealth(t.Context(), probe) != nil }, 10*time.Second, 10*time.Millisecond, "the revocations are read")
	other := newKey(t)

	onlyEveryone := func(who access, _, _ bool) bool { return who == everyone }
	never := func(access, bool, bool) bool { return false }
	dial := func(c jwt.MapClaims) *grpc.ClientConn { return w.dial(t, &alpha, w.issuer.sign(t, c)) }
	return []attempt{
		{"a good worker", dial(good), "alpha", "q1", func(who access, _, _ bool) bool { return who <= workers }},
		{"no token", w.dial(t, &alpha, ""), "alpha", "q1", func(who access, _, _ bool) bool { return who <= tokenless }},
		{"an expired token", dial(withClaim(good, "exp", time.Now().Add(-time.Second).Unix())), "alpha", "q1", onlyEveryone},
		{"a forged token", w.dial(t, &alpha, sign(t, jwt.SigningMethodES256, "k1", other, good)), "alpha", "q1", onlyEveryone},
		{"a revoked token", dial(revokedClaims), "alpha", "q1", never},
		{"a revoked certificate", w.dial(t, &revokedCert, w.issuer.sign(t, good)), "alpha", "q1", never},
		{"a revoked certificate without a token", probe, "alpha", "q1", never},
		{"another namespace", dial(good), "beta", "q1", func(who access, namesNamespace, _ bool) bool {
			return who == everyone || (who <= workers && !namesNamespace)
		}},
		{"the system's namespace", dial(good), "temporal-system", "q1", func(who access, namesNamespace, _ bool) bool {
			return who == everyone || (who <= workers && !namesNamespace)
		}},
		{"a token of the system's namespace", dial(claims("temporal-system", "q1")), "temporal-system", "q1", onlyEveryone},
		{"another queue", dial(good), "alpha", "q2", func(who access, _, namesQueue bool) bool { return who <= workers && !namesQueue }},
		{"a queue of Temporal's own", dial(claims("alpha", "q1", "temporal-sys-per-ns-tq")), "alpha", "temporal-sys-per-ns-tq", func(who access, _, namesQueue bool) bool {
			return who <= workers && !namesQueue
		}},
		{"the tenant's token, another's certificate", w.dial(t, &beta, w.issuer.sign(t, good)), "alpha", "q1", onlyEveryone},
		{"another subject's certificate", w.dial(t, &colleague, w.issuer.sign(t, good)), "alpha", "q1", onlyEveryone},
		{"the tenant's certificate, another's token", dial(claims("beta", "q1")), "alpha", "q1", onlyEveryone},
		{"a foreign CA", w.dial(t, &strange, w.issuer.sign(t, good)), "alpha", "q1", never},
	}
}

// operatorAttempts returns a valid operator and all kinds of invalid ones, once attempts has revoked a token.
func operatorAttempts(t *testing.T, w *testServer) []attempt {
	t.Helper()
	alpha := w.ca.clientOf(t, "operator-1", "alpha")
	good := operatorClaims("alpha")
	reads := func(who access, _, _ bool) bool { return who <= workers }
	onlyEveryone := func(who access, _, _ bool) bool { return who == everyone }
	dial := func(c jwt.MapClaims) *grpc.ClientConn { return w.dial(t, &alpha, w.issuer.sign(t, c)) }
	return []attempt{
		{"an operator", dial(good), "alpha", "q1", reads},
		{"an operator who may write", dial(withClaim(good, "permissions", []string{"alpha:admin"})), "alpha", "q1", reads},
		{"an operator in another namespace", dial(good), "beta", "q1", func(who access, namesNamespace, _ bool) bool {
			return who == everyone || (who <= workers && !namesNamespace)
		}},
		{"an operator of another namespace", dial(operatorClaims("beta")), "alpha", "q1", onlyEveryone},
		{"an operator whose token has expired", dial(withClaim(good, "exp", time.Now().Add(-time.Second).Unix())), "alpha", "q1", onlyEveryone},
		{"an operator whose token is revoked", dial(withClaim(good, "jti", "revoked")), "alpha", "q1", func(access, bool, bool) bool { return false }},
	}
}

func TestEveryMethodHasItsCallers(t *testing.T) {
	t.Parallel()
	for store, change := range map[string]func(*options.Options){
		"sqlite": nil,
		"postgres": func(o *options.Options) {
			o.Store, o.Visibility, o.DatabaseURL = options.StorePostgres, options.StorePostgres, newPostgres(t)
		},
	} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			w := startTestServer(t, change)
			w.addNamespace(t, "alpha")
			w.addNamespace(t, "beta")
			methods := listMethods(t, w)
			require.Len(t, methods, len(methodAccess()), "each row is of a method the frontend has")
			for _, a := range attempts(t, w, newAuthority(t, "engine CA")) {
				requireCallers(t, methods, methodAccess(), a)
			}
			for _, a := range operatorAttempts(t, w) {
				requireCallers(t, methods, readerAccess(), a)
			}
		})
	}
}

// requireCallers calls every method in one way, and requires the answer that the rows say.
func requireCallers(t *testing.T, methods []protoreflect.MethodDescriptor, known map[string]access, a attempt) {
	t.Helper()
	t.Run(a.name, func(t *testing.T) {
		t.Parallel()
		for _, m := range methods {
			who, found := known[fullName(m)]
			require.True(t, found, "%s has no row that says who may call it", fullName(m))
			message, namesNamespace, namesQueue := newRequest(m, a.namespace, a.queue)
			err := send(t, a.conn, m, message)
			if a.passes(who, namesNamespace, namesQueue) {
				require.False(t, isRefused(err), "%s by %s: %v", fullName(m), a.name, err)
				require.NotEqual(t, codes.Unavailable, status.Code(err), "%s by %s: %v", fullName(m), a.name, err)
				continue
			}
			requireRefused(t, m, a, err)
		}
	})
}

func requireRefused(t *testing.T, m protoreflect.MethodDescriptor, a attempt, err error) {
	t.Helper()
	if a.name == "a foreign CA" {
		require.Equal(t, codes.Unavailable, status.Code(err), "%s by %s: %v", fullName(m), a.name, err)
		return
	}
	require.True(t, isRefused(err), "%s by %s: %v", fullName(m), a.name, err)
	if !m.IsStreamingClient() && !m.IsStreamingServer() { // Temporal does not translate a stream's error into a gRPC code
		require.Equal(t, codes.PermissionDenied, status.Code(err), "%s by %s: %v", fullName(m), a.name, err)
	}
}

func TestOpenedMethodsKeepToNamespaceAndQueues(t *testing.T) {
	t.Parallel()
	known := methodAccess()
	var names []string
	for method, who := range known {
		if who == openable {
			names = append(names, path.Base(method))
		}
	}
	w := startTestServer(t, func(o *options.Options) { o.EngineMethods = names })
	w.addNamespace(t, "alpha")
	w.addNamespace(t, "beta")
	alpha := w.ca.client(t, "alpha")
	worker := w.dial(t, &alpha, w.issuer.sign(t, withClaim(claims("alpha", "q1"), "tenant_task_queues", []string{"q2"})))
	for _, m := range listMethods(t, w) {
		if known[fullName(m)] != openable {
			continue
		}
		for _, c := range []struct {
			namespace, queue string
			passes           func(namesQueue bool) bool
		}{
			{"alpha", "q1", func(bool) bool { return true }},
			{"alpha", "q2", func(bool) bool { return true }},
			{"alpha", "q3", func(namesQueue bool) bool { return !namesQueue }},
			{"beta", "q1", func(bool) bool { return false }},
			{"temporal-system", "q1", func(bool) bool { return false }},
		} {
			message, _, namesQueue := newRequest(m, c.namespace, c.queue)
			err := send(t, worker, m, message)
			require.Equal(t, !c.passes(namesQueue), isRefused(err), "%s in %s on %s: %v", fullName(m), c.namespace, c.queue, err)
		}
	}
}
