package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/test/kit/certtest"
	"github.com/procession-dev/procession/test/kit/cloudtest"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// A tenant in a stand-in of Temporal Cloud: the service creates its namespace and the API key of its worker, with which a process runs.
// A revoked key is denied and replaced. A crash of the service leaves one valid key.
func TestTenantInTemporalCloud(t *testing.T) {
	t.Parallel()
	s := configureStack(t)
	s.config.TemporalTLS = false
	s.startOfficialTemporal(s.config.TemporalAddress)
	stand, owner, address := cloudtest.Start(t), certtest.New(t), nettest.FreeAddress(t)
	startCloudFront(t, stand, owner, s.config.TemporalAddress, address)
	s.startInCloud(config.TemporalCluster{
		Name: "cloud", Address: address, TLSCA: owner.File("ca.pem"),
		Cloud: config.TemporalCloud{Account: cloudtest.Account, Regions: []string{"aws-eu-central-1"}, Address: stand.Address, TLSCA: stand.RootsFile},
	})
	runner := branchRunner()
	s.applyBranch(runner, "cloud")
	first := s.createSurvey(runner)

	token := func(not string) (found string) {
		s.await("an API key", func() bool {
			status, answer := s.call(runner, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
			if status != http.StatusOK {
				require.Equal(t, http.StatusServiceUnavailable, status, answer)
				return false
			}
			found = field[string](t, answer, "engineToken", "token")
			return found != not
		})
		return found
	}
	with := func(key string) client.Options {
		return client.Options{
			HostPort: address, Credentials: client.NewAPIKeyStaticCredentials(key),
			ConnectionOptions: client.ConnectionOptions{TLS: &tls.Config{RootCAs: owner.Pool(), MinVersion: tls.VersionTLS12}},
		}
	}
	key := token("")
	s.completeSurvey(with(key))
	s.await("the process to end with its workflow", func() bool { return s.stateOf(runner, first) == "COMPLETED" })

	require.NotEqual(t, "0 revoked\n", printed(t, append([]string{"access", "revoke", "--principal", runner.ID.String()}, s.asking(s.operator())...)...))
	s.killService()
	s.startService()
	replacement := token(key)
	s.await("the revoked key to be deleted", func() bool { return stand.Authenticate(key) == "" })
	_, err := client.Dial(with(key))
	_, denied := errors.AsType[*serviceerror.PermissionDenied](err)
	require.True(t, denied, "%v", err)
	accounts, keys := stand.CountIdentities()
	require.Equal(t, []int{1, 1}, []int{accounts, keys})
	second := s.createSurvey(runner)
	s.completeSurvey(with(replacement))
	s.await("the second process to end", func() bool { return s.stateOf(runner, second) == "COMPLETED" })

	report, err := program("doctor", "--config", filepath.Join(s.dir, "procession.yaml")).CombinedOutput()
	require.NoError(t, err, string(report))
	require.Contains(t, string(report), "the API keys are accepted, and namespaces and workers are set up")
}

// newCloudStack is newStack with all namespaces in a stand-in of Temporal Cloud.
func newCloudStack(t *testing.T) *testStack {
	t.Helper()
	s := configureStack(t)
	temporal := nettest.FreeAddress(t)
	s.startOfficialTemporal(temporal)
	stand, owner := cloudtest.Start(t), certtest.New(t)
	startCloudFront(t, stand, owner, temporal, s.config.TemporalAddress)
	key := filepath.Join(s.dir, "cloud.key")
	require.NoError(t, os.WriteFile(key, []byte(cloudtest.Key+"\n"), 0o600))
	s.config.TemporalTLSCA, s.config.TemporalNamespace = owner.File("ca.pem"), "procession."+cloudtest.Account
	s.config.TemporalCloud = config.TemporalCloud{
		APIKeyFile: key, Account: cloudtest.Account, Regions: []string{"aws-eu-central-1"}, Authentication: config.CloudAPIKey,
		KeyLifetime: 24 * time.Hour, Address: stand.Address, TLSCA: stand.RootsFile,
	}
	var tenants int
	s.query(`WITH changed AS (UPDATE tenants SET namespace = namespace || $1 RETURNING 1) SELECT count(*) FROM changed`, &tenants, "."+cloudtest.Account)
	s.startService()
	t.Cleanup(func() { s.stopService() })
	s.awaitReady()
	return s
}

// startCloudFront serves address as Temporal Cloud, with a Temporal behind it that knows the namespaces of the stand-in.
func startCloudFront(t *testing.T, stand *cloudtest.Cloud, owner *certtest.Owner, temporal, address string) {
	t.Helper()
	stand.Created = func(namespace string) { registerNamespace(t, temporal, namespace) }
	startFront(t, owner, temporal, address, nil, func(r *http.Request) bool {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		// Calls about the whole server have no namespace.
		granted, about := stand.Authenticate(key), r.Header.Get("Temporal-Namespace")
		return key == cloudtest.Key || granted != "" && (about == "" || about == granted)
	})
}

// startInCloud starts the service with an additional cluster in the stand-in.
func (s *testStack) startInCloud(cluster config.TemporalCluster) {
	s.t.Helper()
	cluster.Cloud.APIKeyFile = filepath.Join(s.dir, "cloud.key")
	require.NoError(s.t, os.WriteFile(cluster.Cloud.APIKeyFile, []byte(cloudtest.Key+"\n"), 0o600))
	s.config.TemporalClusters = []config.TemporalCluster{cluster}
	s.startService()
	s.t.Cleanup(func() { s.stopService() })
	s.awaitReady()
}

// registerNamespace creates a namespace as Temporal Cloud does.
func registerNamespace(t *testing.T, address, namespace string) {
	t.Helper()
	c, err := client.NewLazyClient(client.Options{HostPort: address})
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(72 * time.Hour),
	})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace:        namespace,
			SearchAttributes: map[string]enumspb.IndexedValueType{"KuFlowWorkflowVersion": enumspb.INDEXED_VALUE_TYPE_INT},
		})
		return err == nil
	}, testTimeout, 100*time.Millisecond)
}
