package server_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/server"
)

const versionAttribute = "KuFlowWorkflowVersion"

func startRequest(namespace, queue string) *workflowservice.StartWorkflowExecutionRequest {
	return &workflowservice.StartWorkflowExecutionRequest{
		Namespace: namespace, WorkflowId: uuid.NewString(), RequestId: uuid.NewString(),
		WorkflowType: &commonpb.WorkflowType{Name: "w"}, TaskQueue: &taskqueue.TaskQueue{Name: queue},
	}
}

// versioned upserts the custom search attribute and returns.
func versioned(ctx workflow.Context) (string, error) {
	err := workflow.UpsertTypedSearchAttributes(ctx, temporal.NewSearchAttributeKeyInt64(versionAttribute).ValueSet(7))
	return "done", err
}

// requireWorkflowFound has a worker of a new namespace run a workflow as the service starts it and finds it by its custom search
// attribute.
func requireWorkflowFound(t *testing.T, w *testServer) {
	t.Helper()
	const namespace = "alpha"
	w.addNamespace(t, namespace)
	_, err := operatorservice.NewOperatorServiceClient(w.system(t)).AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: map[string]enums.IndexedValueType{versionAttribute: enums.INDEXED_VALUE_TYPE_INT},
	})
	require.NoError(t, err)

	engine := w.sdk(t, namespace, w.ca.client(t, namespace), claims(namespace, "q1"))
	robot := worker.New(engine, "q1", worker.Options{})
	robot.RegisterWorkflowWithOptions(versioned, workflow.RegisterOptions{Name: "versioned"})
	require.NoError(t, robot.Start())
	defer robot.Stop()

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	service := w.sdk(t, namespace, w.ca.client(t, "temporal-system"), systemClaims())
	run, err := service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "q1"}, "versioned")
	require.NoError(t, err)
	var result string
	require.NoError(t, run.Get(ctx, &result))
	require.Equal(t, "done", result)
	require.Eventually(t, func() bool {
		found, err := service.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: versionAttribute + " = 7 AND ExecutionStatus = 'Completed'"})
		return err == nil && len(found.GetExecutions()) == 1 && found.GetExecutions()[0].GetExecution().GetWorkflowId() == run.GetID()
	}, 30*time.Second, 50*time.Millisecond)
}

func TestSQLiteStoreRunsWorkflows(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, func(o *options.Options) { o.TaskQueuePartitions = 1 })
	requireWorkflowFound(t, w)
	listed, err := workflowservice.NewWorkflowServiceClient(w.system(t)).ListTaskQueuePartitions(t.Context(),
		&workflowservice.ListTaskQueuePartitionsRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: "q1"}})
	require.NoError(t, err)
	require.Len(t, listed.GetWorkflowTaskQueuePartitions(), 1)
	require.Len(t, listed.GetActivityTaskQueuePartitions(), 1)
}

func TestPostgresStoreKeepsItsDataAndOneOwner(t *testing.T) {
	t.Parallel()
	databaseURL := newPostgres(t)
	w := startTestServer(t, func(o *options.Options) {
		o.Store, o.Visibility, o.DatabaseURL, o.Database, o.VisibilityDatabase = options.StorePostgres, options.StorePostgres, databaseURL, "engine main", "engine_visibility"
		o.ClusterName, o.ClusterNumber = "porto", 3
	})
	requireWorkflowFound(t, w)
	require.Zero(t, queryInt(t, databaseURL, "engine_visibility", `SELECT count(*) FROM pg_indexes
		WHERE tablename = 'executions_visibility' AND indexdef ~ '(int|keyword|bool)_?0\d' AND indexdef NOT LIKE '% IS NOT NULL)'`), "unused search attributes cost no index entries")
	versions := queryInt(t, databaseURL, "engine main", `SELECT count(*) FROM schema_update_history`)

	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := server.Start(ctx, w.opts, slog.New(slog.DiscardHandler), time.Now)
	require.ErrorContains(t, err, "another temporal-server uses database engine main")

	require.NoError(t, w.server.Stop())
	for _, change := range []func(*options.Options){
		func(o *options.Options) { o.ClusterName = "lisbon" },
		func(o *options.Options) { o.ClusterNumber = 4 },
	} {
		other := w.opts
		change(&other)
		_, err = server.Start(t.Context(), other, slog.New(slog.DiscardHandler), time.Now)
		require.ErrorContains(t, err, "the main store belongs to the cluster porto with the number 3: --cluster-name and --cluster-number cannot change")
	}
	w.start(t)
	cluster, err := workflowservice.NewWorkflowServiceClient(w.system(t)).GetClusterInfo(t.Context(), &workflowservice.GetClusterInfoRequest{})
	require.NoError(t, err)
	require.Equal(t, "porto", cluster.GetClusterName())
	require.EqualValues(t, 3, cluster.GetInitialFailoverVersion())
	require.EqualValues(t, 100, cluster.GetFailoverVersionIncrement())
	found, err := workflowservice.NewWorkflowServiceClient(w.system(t)).CountWorkflowExecutions(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: "alpha", Query: versionAttribute + " = 7",
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, found.GetCount())
	require.Equal(t, versions, queryInt(t, databaseURL, "engine main", `SELECT count(*) FROM schema_update_history`), "a current schema is left alone")
}

func TestStartNamesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	good := startTestServer(t, nil).opts

	for name, c := range map[string]struct {
		change func(*options.Options)
		want   []string
	}{
		"a taken address": {func(o *options.Options) { o.Listen = taken.Addr().String() }, []string{taken.Addr().String(), "--listen", "in use"}},
		"a taken metrics address": {
			func(o *options.Options) { o.MetricsListen = taken.Addr().String() },
			[]string{taken.Addr().String(), "--metrics-listen", "in use"},
		},
		"an address of another machine": {func(o *options.Options) { o.Listen = "192.0.2.1:7233" }, []string{"192.0.2.1:7233", "--listen"}},
		"an absent certificate":         {func(o *options.Options) { o.TLSCert = "/nowhere/cert.pem" }, []string{"--tls-cert", "/nowhere/cert.pem"}},
		"a CA file without certificate": {func(o *options.Options) { o.ClientCA = o.TLSKey }, []string{"--client-ca"}},
		"a key of another certificate":  {func(o *options.Options) { o.TLSKey = o.ClientCA }, []string{"--tls-key"}},
		"an unknown engine method":      {func(o *options.Options) { o.EngineMethods = []string{"Poll"} }, []string{`"Poll" is not a method`}},
		"an operator's method for engines": {
			func(o *options.Options) { o.EngineMethods = []string{"UpdateNamespace"} },
			[]string{`"UpdateNamespace" cannot be opened to engines`},
		},
		"Temporal itself as a Nexus endpoint": {
			func(o *options.Options) { o.NexusEndpoints = []string{"__temporal_system"} },
			[]string{`"__temporal_system" cannot be opened to engines`},
		},
		"an absent database server": {
			func(o *options.Options) {
				o.Store, o.Visibility, o.DatabaseURL = options.StorePostgres, options.StorePostgres, "postgres://u:hunter2@/postgres?host=/nowhere"
			},
			[]string{"--database-url"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := good
			c.change(&opts)
			_, err := server.Start(t.Context(), opts, slog.New(slog.DiscardHandler), time.Now)
			for _, part := range c.want {
				require.ErrorContains(t, err, part)
			}
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestTLSFilesAreReloaded(t *testing.T) {
	t.Parallel()
	metrics := freeAddress(t)
	w := startTestServer(t, func(o *options.Options) { o.MetricsListen = metrics })
	next := newAuthority(t, "next engine CA")
	old, fresh := w.ca.client(t, "temporal-system"), next.client(t, "temporal-system")
	token := w.issuer.sign(t, systemClaims())
	allowed := func(cert tls.Certificate) func() bool {
		return func() bool { return systemInfo(t.Context(), w.dial(t, &cert, token)) == nil }
	}
	require.True(t, allowed(old)())
	require.False(t, allowed(fresh)())

	// Rotation: the new CA joins the old one, then the old one goes.
	replaceFile(t, w.opts.ClientCA, slices.Concat(w.ca.pem(), next.pem()))
	require.Eventually(t, allowed(fresh), 10*time.Second, 20*time.Millisecond)
	require.True(t, allowed(old)())
	replaceFile(t, w.opts.ClientCA, next.pem())
	require.Eventually(t, func() bool { return !allowed(old)() }, 10*time.Second, 20*time.Millisecond)
	require.True(t, allowed(fresh)())

	// An incomplete pair is not used, the complete one is.
	renewed := w.ca.server(t)
	replaceFile(t, w.opts.TLSCert, []byte("not a certificate"))
	require.Eventually(t, func() bool { return len(w.log.lines("keeping the previous TLS files")) > 0 }, 10*time.Second, 10*time.Millisecond)
	require.True(t, allowed(fresh)())
	writePair(t, filepath.Dir(w.opts.TLSCert), renewed)
	require.Eventually(t, func() bool { return shownCertificate(t, w, fresh).Equal(renewed.Leaf) }, 10*time.Second, 20*time.Millisecond)
	expiry := regexp.MustCompile(`procession_certificate_expiry_timestamp_seconds\{.*certificate="temporal".*\} (\S+)`)
	require.Eventually(t, func() bool {
		shown := expiry.FindStringSubmatch(scrape(t, metrics))
		if shown == nil {
			return false
		}
		seconds, err := strconv.ParseFloat(shown[1], 64)
		return err == nil && int64(seconds) == renewed.Leaf.NotAfter.Unix()
	}, 10*time.Second, 100*time.Millisecond, "the metric shows the expiry")
}

// No listener accepts a client that offers suites of CBC mode only.
func TestListenersRefuseCBC(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	cert := w.ca.client(t, "temporal-system")
	for _, address := range listenAddresses(t) {
		dialer := &tls.Dialer{Config: &tls.Config{
			MaxVersion: tls.VersionTLS12, InsecureSkipVerify: true, Certificates: []tls.Certificate{cert},
			CipherSuites: []uint16{
				tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
				tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
			},
		}}
		conn, err := dialer.DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		require.Error(t, err, address)
	}
}

func TestOtherListenersAreClosedToOthers(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	cert := w.ca.client(t, "temporal-system")
	mutual := credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, Certificates: []tls.Certificate{cert}})
	ports := listenAddresses(t)
	require.GreaterOrEqual(t, len(ports), 4, "the frontend, the internal frontend, history and matching")
	for _, address := range ports {
		if address == w.server.Address() {
			continue
		}
		for name, creds := range map[string]credentials.TransportCredentials{"plain": insecure.NewCredentials(), "engine CA": mutual} {
			conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(creds))
			require.NoError(t, err)
			require.Error(t, systemInfo(t.Context(), conn), "%s to %s", name, address)
			require.NoError(t, conn.Close())
		}
	}
}
