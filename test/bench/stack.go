package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/devstack/pgcluster"
	"github.com/procession-dev/procession/devstack/temporalserver"
	"github.com/procession-dev/procession/persistence"
)

const (
	mainDatabase = "procession"
	startTimeout = 2 * time.Minute
	stopTimeout  = 30 * time.Second
)

// stack is everything that is measured: PostgreSQL with fsync on, on disk,
// Temporal on it, and the service as a process of its own.
type stack struct {
	dir      string
	cluster  *pgcluster.Cluster
	database string
	service  *child.Process
	// baseline is another build of the service with a PostgreSQL and a Temporal of its own, nil without one.
	baseline *stack
	// frozen is the database for pgbench; it is made when pgbench first runs.
	frozen *stack
	// replicas are further processes of the service on the same database. Only address
	// and process are set. Clients connect by turns.
	replicas []*stack
	dialled  atomic.Uint64
	// db stores definitions, pool runs statements without an operation of the service.
	db       *persistence.DB
	pool     *pgxpool.Pool
	address  string
	admin    string
	temporal string
	// engine are Temporal's processes, none with a stand-in.
	engine []*temporalserver.Server
	// history are the options of the history host of a spread Temporal.
	history temporalserver.Options
	system  *systemAccess
	sealKey authn.SealKey
	stops   []func(context.Context) error
}

// stackOptions configure a stack.
type stackOptions struct {
	keep bool
	// baseline is the file of another build of the service, which is started too unless it is empty.
	baseline string
	// replicas is how many processes of the service there are.
	replicas int
	// spread is set for a Temporal of several processes.
	spread bool
	// standIn is set for a stand-in in place of Temporal.
	standIn bool
	// watchStatements makes PostgreSQL sum the time of each statement.
	watchStatements bool
}

// withStack starts a stack, runs do, and removes the stack.
func withStack(ctx context.Context, o stackOptions, progress io.Writer, do func(*stack) error) (err error) {
	s := &stack{database: mainDatabase}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx, o, progress); err != nil {
		return fmt.Errorf("starting the stack: %w", err)
	}
	return do(s)
}

func (s *stack) start(ctx context.Context, o stackOptions, progress io.Writer) (err error) {
	if s.dir, err = os.MkdirTemp("", "procession-bench-"); err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	if o.keep {
		fmt.Fprintln(progress, "keeping", s.dir)
	} else {
		s.onStop(func(context.Context) error { return os.RemoveAll(s.dir) })
	}
	// PostgreSQL may run as another user below it.
	if err := os.Chmod(s.dir, 0o711); err != nil { //nolint:gosec // see above
		return fmt.Errorf("opening the directory: %w", err)
	}
	addresses, err := freeAddresses(ctx, 3)
	if err != nil {
		return err
	}
	s.address, s.admin, s.temporal = addresses[0], addresses[1], addresses[2]

	binary := filepath.Join(s.dir, "procession")
	fmt.Fprintln(progress, "building the service")
	if err := buildService(ctx, binary); err != nil {
		return err
	}
	fmt.Fprintln(progress, "starting PostgreSQL, the service and Temporal")
	if err := s.startPostgres(ctx, o.watchStatements); err != nil {
		return err
	}
	env, err := s.prepareDatabase(ctx, binary)
	if err != nil {
		return err
	}
	if err := s.startServices(ctx, binary, env, o, progress); err != nil {
		return err
	}
	if o.baseline != "" {
		s.baseline, err = s.startBaseline(ctx, o.baseline, env, progress)
		if s.baseline != nil {
			s.onStop(func(context.Context) error { return s.baseline.stop() })
		}
		if err != nil {
			return fmt.Errorf("starting the baseline: %w", err)
		}
		if err := s.baseline.awaitReady(ctx); err != nil {
			return err
		}
	}
	for _, replica := range s.replicas {
		if err := replica.awaitReady(ctx); err != nil {
			return err
		}
	}
	return s.awaitReady(ctx)
}

// startServices starts the service with its replicas, and Temporal, which is
// stopped after them because they talk to it until the end.
func (s *stack) startServices(ctx context.Context, binary string, env []string, o stackOptions, progress io.Writer) error {
	before := len(s.stops)
	if err := s.startService(binary, env); err != nil {
		return err
	}
	for range o.replicas - 1 {
		if err := s.startReplica(ctx, binary, env); err != nil {
			return err
		}
	}
	stopServices := slices.Clone(s.stops[before:])
	s.stops = s.stops[:before]
	defer func() { s.stops = append(s.stops, stopServices...) }()
	if o.standIn {
		return s.startStandIn(ctx)
	}
	return s.startTemporal(ctx, o.spread, progress)
}

// startReplica runs one more process of the service.
func (s *stack) startReplica(ctx context.Context, binary string, env []string) error {
	addresses, err := freeAddresses(ctx, 2)
	if err != nil {
		return err
	}
	replica := &stack{
		dir: s.dir, database: fmt.Sprintf("replica-%d", len(s.replicas)+2),
		address: addresses[0], admin: addresses[1], temporal: s.temporal,
	}
	s.replicas = append(s.replicas, replica)
	s.onStop(func(context.Context) error { return replica.stop() })
	return replica.startService(binary, env)
}

func (s *stack) onStop(stop func(context.Context) error) { s.stops = append(s.stops, stop) }

// stop ends the parts of the stack, the last one first.
func (s *stack) stop() error {
	var errs []error
	for i := len(s.stops) - 1; i >= 0; i-- {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		errs = append(errs, s.stops[i](ctx))
		cancel()
	}
	return errors.Join(errs...)
}

func (s *stack) startPostgres(ctx context.Context, watchStatements bool) error {
	dir := filepath.Join(s.dir, "postgres")
	var settings []string
	if watchStatements {
		settings = statementSettings()
	}
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	cluster, err := pgcluster.Start(starting, pgcluster.Options{Dir: dir, Settings: settings})
	if err != nil {
		return err
	}
	s.cluster = cluster
	s.onStop(func(ctx context.Context) error { return errors.Join(cluster.Stop(ctx), pgcluster.Remove(dir)) })
	return s.openDatabase(starting)
}

// openDatabase creates the database of the service and connects to it.
func (s *stack) openDatabase(ctx context.Context) (err error) {
	if err := s.cluster.CreateDatabase(ctx, s.database); err != nil {
		return err
	}
	if s.pool, err = pgxpool.New(context.WithoutCancel(ctx), s.cluster.URL(s.database)); err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	s.onStop(func(context.Context) error { s.pool.Close(); return nil })
	return nil
}

// prepareDatabase migrates the database, makes keys and Temporal's certificate, loads
// the demo data and the definitions of the bench, and returns the environment
// that the service takes its secrets from.
func (s *stack) prepareDatabase(ctx context.Context, binary string) ([]string, error) {
	sealKey := filepath.Join(s.dir, "seal.key")
	key, err := authn.LoadOrCreateSealKey(sealKey)
	if err != nil {
		return nil, err
	}
	env := append(cleanEnvironment(), "PROCESSION_DATABASE_URL="+s.cluster.URL(s.database), "PROCESSION_SEAL_KEY_FILE="+sealKey,
		"PROCESSION_DOCUMENTS_URL=file://"+filepath.Join(s.dir, "documents"))
	issue := exec.CommandContext(ctx, binary, "certificate", "--host", "127.0.0.1", "--out", s.dir) //nolint:gosec // built here
	issue.Env = env
	if out, err := issue.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("issuing Temporal's certificate: %w\n%s", err, out)
	}
	if s.db, err = persistence.Open(ctx, s.cluster.URL(s.database), persistence.Limits{Requests: 4}); err != nil {
		return nil, err
	}
	s.onStop(func(context.Context) error { s.db.Close(); return nil })
	if err := demo.Load(ctx, s.db, nil, time.Now()); err != nil {
		return nil, err
	}
	if err := publishDefinitions(ctx, s.db, time.Now()); err != nil {
		return nil, err
	}
	s.sealKey = key
	s.system, err = newSystemAccess(ctx, s.db, key)
	return env, err
}

// startService runs the service with its defaults, in the way it is run in
// production. Only the rates, which the bench would exceed on a fast machine, are
// out of reach.
func (s *stack) startService(binary string, env []string) error {
	log, err := os.OpenFile(filepath.Join(s.dir, s.database+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the service's log: %w", err)
	}
	cmd := exec.Command(binary, "serve", "--listen", s.address, healthFlag(binary), s.admin, "--temporal-address", s.temporal, "--webhook-allow", "127.0.0.1") //nolint:gosec,noctx // built here; it is stopped in its turn
	cmd.Env = append(slices.Clone(env), "PROCESSION_PRINCIPAL_RATE=1000000", "PROCESSION_TENANT_RATE=1000000")
	cmd.Stdout, cmd.Stderr = log, log
	if s.service, err = child.Start(cmd, syscall.SIGTERM); err != nil {
		return err
	}
	s.onStop(func(ctx context.Context) error {
		return errors.Join(s.service.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL), s.service.Err(), log.Close())
	})
	return nil
}

// healthFlag returns the flag of the health listener, which a baseline may know by its former name.
func healthFlag(binary string) string {
	help, err := exec.Command(binary, "serve", "--help").CombinedOutput() //nolint:noctx // it prints and ends
	if err == nil && !bytes.Contains(help, []byte("--listen-health")) {
		return "--listen-admin"
	}
	return "--listen-health"
}

// buildService builds the service in its own module.
func buildService(ctx context.Context, binary string) error {
	temporal, err := temporalserver.FindSource()
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/procession") //nolint:gosec // a path made here
	build.Dir = filepath.Dir(temporal)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the service: %w\n%s", err, out)
	}
	return nil
}

// awaitReady returns when the service is ready.
func (s *stack) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return pollUntil(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		select {
		case <-s.service.Done():
			return false, fmt.Errorf("the service ended while starting; its log is in %s", s.dir)
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.admin+"/readyz", http.NoBody)
		if err != nil {
			return false, fmt.Errorf("asking whether the service is ready: %w", err)
		}
		answer, err := (&http.Client{}).Do(request)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return answer.StatusCode == http.StatusOK, answer.Body.Close()
	})
}

// cleanEnvironment returns the environment of the bench without settings of the service.
func cleanEnvironment() []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "PROCESSION_") {
			env = append(env, entry)
		}
	}
	return env
}
