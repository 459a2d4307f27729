package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/log"

	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/store"
	"github.com/procession-dev/procession/temporal-server/internal/teststores"
)

// useStores takes the stores in a file of teststores.
func (w *testServer) useStores(t *testing.T, file string, more ...string) {
	t.Helper()
	given := teststores.Options(t, file, more...)
	w.opts.Store, w.opts.Visibility, w.opts.DatabaseURL = given.Store, given.Visibility, given.DatabaseURL
	w.opts.Cassandra, w.opts.OpenSearch = given.Cassandra, given.OpenSearch
}

// The command schema sets up Cassandra and OpenSearch; a server refuses them before, and as long as they are older.
func TestSchemaOfCassandraAndOpenSearch(t *testing.T) {
	t.Parallel()
	w := newAuthorities(t)
	w.useStores(t, teststores.Both)
	hosts := w.clusterHosts(t, 1)
	w.opts.Services, w.opts.Advertise = []string{"history", "matching", "frontend", "internal-frontend", "worker"}, hosts[0]
	keyspace, index := "keyspace "+w.opts.Cassandra.Keyspace+" in Cassandra", "index "+w.opts.OpenSearch.Index+" in OpenSearch"
	err := w.startError(t)
	require.ErrorContains(t, err, keyspace+" is not set up: run temporal-server schema with the same settings")
	require.ErrorContains(t, err, index+" is not set up: run temporal-server schema with the same settings")

	want := []string{
		keyspace + ": created with version 1.13",
		"access rules in keyspace " + w.opts.Cassandra.Keyspace + ": created with version 1.0",
		index + ": created with version 14",
		"cluster active with the number 1: recorded",
	}
	require.Equal(t, want, w.updateStores(t))
	require.Equal(t, index+": version 14 is up to date", w.updateStores(t)[2])

	other := w.opts
	other.ClusterNumber = 2
	err = store.Update(t.Context(), other, log.NewNoopLogger(), func(string) {})
	require.ErrorContains(t, err, "the main store belongs to the cluster active with the number 1")
	w.start(t)
	// Otherwise the first workflows would wait for a minute.
	w.addNamespace(t, "beta")
	known, err := operatorservice.NewOperatorServiceClient(w.system(t)).ListSearchAttributes(t.Context(),
		&operatorservice.ListSearchAttributesRequest{Namespace: "beta"})
	require.NoError(t, err)
	require.Equal(t, enums.INDEXED_VALUE_TYPE_INT, known.GetCustomAttributes()[versionAttribute])
	began := time.Now()
	requireWorkflowFound(t, w)
	t.Logf("the first workflow of a namespace is in the list after %s", time.Since(began).Round(time.Second))
}

// Cassandra with lists in PostgreSQL.
func TestCassandraWithListsInPostgres(t *testing.T) {
	t.Parallel()
	w := newAuthorities(t)
	w.useStores(t, teststores.Main, "--visibility", "postgres", "--database-url", newPostgres(t))
	hosts := w.clusterHosts(t, 1)
	w.opts.Services, w.opts.Advertise = []string{"history", "matching", "frontend", "internal-frontend", "worker"}, hosts[0]
	require.Contains(t, w.updateStores(t), "database temporal_visibility in PostgreSQL: created with version 1.14")
	w.start(t)
	requireWorkflowFound(t, w)
}

// A cluster of three hosts on Cassandra and OpenSearch restarts, loses and pauses each process in turn, for the time in TEST_CLUSTER, without a
// failed call.
func TestThreeHostsOnCassandraAndOpenSearch(t *testing.T) {
	t.Parallel()
	length := clusterTime(t)
	w := newAuthorities(t)
	w.opts.TaskQueuePartitions, w.opts.HistoryShards = 1, 64
	w.useStores(t, teststores.Both)
	w.updateStores(t)
	w.disturbHosts(t, w.clusterHosts(t, 3), length)
}

// Wrong credentials of the stores are named, without their values.
func TestStartNamesStoresThatRefuse(t *testing.T) { //nolint:tparallel // the cases share a server
	t.Parallel()
	w := newAuthorities(t)
	w.useStores(t, teststores.Both)
	hosts := w.clusterHosts(t, 1)
	w.opts.Services, w.opts.Advertise = []string{"history"}, hosts[0]
	good := w.opts
	for name, c := range map[string]struct { //nolint:paralleltest // as above
		change func(*options.Options)
		want   string
	}{
		"an absent password file": {func(o *options.Options) { o.Cassandra.PasswordFile = "/nowhere" }, "reading --cassandra-password-file"},
		"a wrong password":        {func(o *options.Options) { o.Cassandra.PasswordFile = o.OpenSearch.PasswordFile }, "connecting to keyspace system in Cassandra"},
		"another authority":       {func(o *options.Options) { o.Cassandra.Files.CA = o.ClientCA }, "connecting to keyspace system in Cassandra"},
	} {
		t.Run(name, func(t *testing.T) {
			w.opts = good
			c.change(&w.opts)
			err := w.startError(t)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secret of tests")
		})
	}
}

// Lists in OpenSearch find the same workflows as lists in PostgreSQL, soon after their changes.
func TestListsInOpenSearch(t *testing.T) {
	t.Parallel()
	w := newAuthorities(t)
	w.useStores(t, teststores.Lists, "--store", "postgres", "--database-url", newPostgres(t))
	require.ErrorContains(t, w.startError(t), "index "+w.opts.OpenSearch.Index+" in OpenSearch is not set up")
	w.updateStores(t)
	w.start(t)
	requireWorkflowFound(t, w)

	service := w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims())
	list := func(query string) (ids []string) {
		found, err := service.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
		require.NoError(t, err, query)
		for _, info := range found.GetExecutions() {
			ids = append(ids, info.GetExecution().GetWorkflowId())
		}
		return ids
	}
	ids := []string{"process-1", "process-10", "north.process-1", "a*", "a b AND c", `a "b"`, `a\b\"`, "it's"}
	for _, id := range ids {
		_, err := service.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "unpolled"}, "versioned")
		require.NoError(t, err)
	}
	running := func(of ...string) []string {
		quoted := make([]string, len(of))
		for i, id := range of {
			// The escapes of MySQL, other than those of Go.
			quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(id) + `"`
		}
		return list(`ExecutionStatus = "Running" AND WorkflowId IN (` + strings.Join(quoted, ", ") + `)`)
	}
	require.Eventually(t, func() bool { return len(running(ids...)) == len(ids) }, 30*time.Second, 100*time.Millisecond)
	for _, id := range ids {
		require.Equal(t, []string{id}, running(id))
	}
	require.Equal(t, []string{"north.process-1"}, list(`WorkflowId STARTS_WITH "north."`))

	var slowest time.Duration
	for i, id := range ids {
		require.NoError(t, service.TerminateWorkflow(t.Context(), id, "", "test"))
		ended := time.Now()
		require.Eventually(t, func() bool {
			found := list(`ExecutionStatus = "Terminated"`)
			return len(found) == i+1 && found[0] == id
		}, 10*time.Second, 20*time.Millisecond, "the latest end comes first")
		slowest = max(slowest, time.Since(ended))
	}
	t.Logf("the slowest of %d ends was listed after %s", len(ids), slowest.Round(time.Millisecond))
	require.Less(t, slowest, 5*time.Second)
}
