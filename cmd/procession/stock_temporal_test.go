package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/pgcluster"
	"github.com/procession-dev/procession/devstack/stocktemporal"
	"github.com/procession-dev/procession/devstack/temporalserver"
)

// stockConfig is the documented configuration, which is used as it is.
const stockConfig = "../../docs/temporal/stock-cluster.yaml"

const stockDynamicConfig = "../../docs/temporal/stock-dynamic-config.yaml"

// stockPorts is how many ports in a row the documented configuration takes.
const stockPorts = 10

// A Temporal without any code of ours, configured as documented, runs the loan.
func TestLoanRunsOnAStockTemporal(t *testing.T) {
	t.Parallel()
	s := newStockStack(t)
	s.startWorker()
	out, err := exec.Command(example(t, "loan/drive"), "-endpoint", s.url()).CombinedOutput()
	require.NoError(t, err, string(out))
	s.requireGuarantees(guarantees{namespace: true, forgery: true})
}

// newStockStack is newStack with the stock server on PostgreSQL.
func newStockStack(t *testing.T) *testStack {
	t.Helper()
	s := configureStack(t)
	port := freePorts(t, stockPorts)
	s.config.TemporalAddress = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	k, err := server.OpenKeys(t.Context(), s.config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer k.DB.Close()
	s.files, err = server.WriteCertificate(k.Issuer, s.dir, []string{"127.0.0.1", "localhost"}, time.Now())
	require.NoError(t, err)
	s.startService()
	t.Cleanup(func() { s.stopService() })
	s.startStockTemporal(port)
	s.awaitReady()
	return s
}

// startStockTemporal builds the stock server, creates its databases with the
// stock tool and starts it with the documented files.
func (s *testStack) startStockTemporal(port int) {
	s.t.Helper()
	source, err := temporalserver.FindSource()
	require.NoError(s.t, err)
	programs, err := stocktemporal.Build(s.t.Context(), stocktemporal.BuildOptions{Source: source, Progress: os.Stderr})
	require.NoError(s.t, err)
	database := s.stockDatabase()
	password, _ := database.User.Password()
	socket, databasePort := database.Query().Get("host"), database.Query().Get("port")
	for _, step := range [][]string{
		{"--db", "temporal", "create"},
		{"--db", "temporal", "setup-schema", "-v", "0.0"},
		{"--db", "temporal", "update-schema", "--schema-name", "postgresql/v12/temporal"},
		{"--db", "temporal_visibility", "create"},
		{"--db", "temporal_visibility", "setup-schema", "-v", "0.0"},
		{"--db", "temporal_visibility", "update-schema", "--schema-name", "postgresql/v12/visibility"},
	} {
		tool := exec.Command(programs.SQLTool, append([]string{
			"--plugin", "postgres12_pgx", "--ep", "127.0.0.1", "--port", databasePort,
			"--user", database.User.Username(), "--ca", "host=" + socket,
		}, step...)...)
		tool.Env = append(os.Environ(), "SQL_PASSWORD="+password)
		out, err := tool.CombinedOutput()
		require.NoError(s.t, err, "%v: %s", step, out)
	}

	internode := filepath.Join(s.dir, "internode")
	require.NoError(s.t, os.Mkdir(internode, 0o700))
	writeNodeCertificate(s.t, internode, "node.temporal.internal")
	server := exec.Command(programs.Server, "--config-file", stockConfig, "start",
		"--service", "frontend", "--service", "internal-frontend", "--service", "history", "--service", "matching", "--service", "worker")
	server.Env = append(
		os.Environ(),
		"PROCESSION_JWKS_URL="+s.url()+"/.well-known/jwks.json",
		"TEMPORAL_TLS_DIR="+s.dir,
		"TEMPORAL_INTERNODE_DIR="+internode, "TEMPORAL_INTERNODE_NAME=node.temporal.internal",
		"TEMPORAL_DYNAMIC_CONFIG="+stockDynamicConfig,
		"TEMPORAL_PORT="+strconv.Itoa(port), "TEMPORAL_HISTORY_SHARDS=4",
		"POSTGRES_ADDRESS=127.0.0.1:"+databasePort, "POSTGRES_USER="+database.User.Username(), "POSTGRES_PASSWORD="+password,
		"POSTGRES_ATTRIBUTES={host: "+socket+"}",
	)
	log := s.logTo("stock-temporal.log")
	server.Stdout, server.Stderr = log, log
	p, err := child.Start(server, syscall.SIGTERM)
	require.NoError(s.t, err)
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		_ = p.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL) // it ends with a code of its own
	})
}

// stockDatabase starts a PostgreSQL for Temporal and returns its URL.
func (s *testStack) stockDatabase() *url.URL {
	s.t.Helper()
	// PostgreSQL may run as a user that does not get into t.TempDir.
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "procession-stock-")
	require.NoError(s.t, err)
	cluster, err := pgcluster.Start(s.t.Context(), pgcluster.Options{Dir: dir, Fast: true, CacheDir: pgcluster.CacheDir()})
	require.NoError(s.t, err)
	s.t.Cleanup(func() {
		require.NoError(s.t, cluster.Stop(context.Background()))
		require.NoError(s.t, pgcluster.Remove(dir))
	})
	database, err := url.Parse(cluster.URL("postgres"))
	require.NoError(s.t, err)
	return database
}

// freePorts finds ports in a row without listeners and returns the first.
// Temporal keeps its ports in 16 signed bits.
func freePorts(t *testing.T, count int) int {
	t.Helper()
	for range 100 {
		first := 20000 + mathrand.IntN(10000)
		if arePortsFree(first, count) {
			return first
		}
	}
	require.FailNow(t, "no ports are free")
	return 0
}

func arePortsFree(first, count int) bool {
	for port := first; port < first+count; port++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return false
		}
		if l.Close() != nil {
			return false
		}
	}
	return true
}

// writeNodeCertificate creates an authority with one certificate for name, which
// serves both ends of a connection between Temporal's services.
func writeNodeCertificate(t *testing.T, dir, name string) {
	t.Helper()
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	nodeKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "internode"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	node := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	require.NoError(t, err)
	nodeDER, err := x509.CreateCertificate(rand.Reader, node, authority, nodeKey.Public(), authorityKey)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(nodeKey)
	require.NoError(t, err)
	for file, block := range map[string]*pem.Block{
		"ca.pem":       {Type: "CERTIFICATE", Bytes: authorityDER},
		"node.pem":     {Type: "CERTIFICATE", Bytes: nodeDER},
		"node-key.pem": {Type: "PRIVATE KEY", Bytes: keyDER},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600))
	}
}
