// Command stores runs a command with Cassandra and OpenSearch for tests of temporal-server:
//
//	go run ./test/stores COMMAND ARGUMENT…
//
// It fetches both with Maven, 111 MB the first time, and starts a node of each on the loopback address, with TLS and passwords. The
// environment variable TEST_STORES of the command names a folder with files of settings for temporal-server: store.yaml for Cassandra,
// visibility.yaml for OpenSearch, and both.yaml. Both nodes and their data end with the command.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/devstack/child"
)

const (
	startWait  = 5 * time.Minute
	stopWait   = 20 * time.Second
	killSignal = syscall.SIGKILL

	settingsVariable = "TEST_STORES"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: stores COMMAND ARGUMENT…")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := runWithStores(ctx, os.Args[1:])
	stop()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stores:", err)
		os.Exit(1)
	}
}

// runWithStores starts the stores, runs the command and stops them.
func runWithStores(ctx context.Context, command []string) (err error) {
	dir, err := os.MkdirTemp("", "stores-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeCertificates(dir); err != nil {
		return err
	}
	began := time.Now()
	nodes, err := startNodes(ctx, dir)
	defer func() {
		for _, node := range nodes {
			err = errors.Join(err, stopNode(ctx, node))
		}
	}()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "stores: Cassandra and OpenSearch answer after %s\n", time.Since(began).Round(time.Second))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the purpose
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), settingsVariable+"="+dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// startNodes starts both stores at the same time and writes their settings. It also returns the started nodes after an error.
func startNodes(ctx context.Context, dir string) (nodes []*child.Process, err error) {
	var cassandra, search *child.Process
	var port int
	var at string
	starting, startCtx := errgroup.WithContext(ctx)
	starting.Go(func() (err error) {
		cassandra, port, err = startCassandra(startCtx, dir)
		return err
	})
	starting.Go(func() (err error) {
		search, at, err = startOpenSearch(ctx, dir)
		return err
	})
	err = starting.Wait()
	for _, node := range []*child.Process{cassandra, search} {
		if node != nil {
			nodes = append(nodes, node)
		}
	}
	if err != nil {
		return nodes, err
	}
	return nodes, writeSettings(dir, port, at)
}

// writeSettings writes settings of temporal-server for each store, and for both.
func writeSettings(dir string, port int, searchURL string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	store := fmt.Sprintf(`store: cassandra
cassandra-hosts: 127.0.0.1
cassandra-port: %d
cassandra-replication: 1
cassandra-user: %s
cassandra-password-file: %s
cassandra-tls: true
cassandra-tls-ca: %s
cassandra-tls-cert: %s
cassandra-tls-key: %s
`, port, cassandraUser, at("cassandra-password"), at(authorityFile), at(clientFile), at(clientKeyFile))
	visibility := fmt.Sprintf(`visibility: opensearch
opensearch-url: %s
opensearch-user: %s
opensearch-password-file: %s
opensearch-tls-ca: %s
`, searchURL, searchUser, at("opensearch-password"), at(authorityFile))
	for name, text := range map[string]string{
		"cassandra-password":  cassandraPassword + "\n",
		"opensearch-password": searchPassword + "\n",
		"store.yaml":          store,
		"visibility.yaml":     visibility,
		"both.yaml":           store + visibility,
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// awaitNode returns when a node answers, and an error with the end of its log if it ends before.
func awaitNode(ctx context.Context, node *child.Process, dir, name string, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	retry := time.NewTicker(250 * time.Millisecond)
	defer retry.Stop()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-retry.C:
		case <-node.Done():
			return fmt.Errorf("%s has ended (%w):\n%s", name, node.Err(), lastBytes(filepath.Join(dir, name+".log")))
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer (%w):\n%s", name, err, lastBytes(filepath.Join(dir, name+".log")))
		}
	}
}

// lastBytes returns the end of a file.
func lastBytes(file string) string {
	content, err := os.ReadFile(file) //nolint:gosec // a log made here
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-4000):])
}

func stopNode(ctx context.Context, node *child.Process) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	return node.Stop(ctx, syscall.SIGTERM, killSignal)
}

// freePorts returns n free ports of the loopback address.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return nil, err
		}
		defer func() { _ = listener.Close() }()
		if at, ok := listener.Addr().(*net.TCPAddr); ok {
			ports[i] = at.Port
		}
	}
	return ports, nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
