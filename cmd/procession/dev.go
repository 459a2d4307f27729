package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/localstack/child"
	"github.com/procession-dev/procession/localstack/demo"
	"github.com/procession-dev/procession/localstack/pgcluster"
	"github.com/procession-dev/procession/localstack/temporalserver"
)

const (
	// devTemporalAddress is where the local stack's own Temporal listens.
	devTemporalAddress = "127.0.0.1:7233"
	// devStopTimeout bounds how long one part of the stack may take to stop.
	devStopTimeout = 20 * time.Second
	// devStartTimeout bounds how long one part may take to start, the first build
	// of Temporal excluded.
	devStartTimeout = 2 * time.Minute
	noWorker        = "none"
)

// devOptions are the settings of the local stack beside those of the service.
type devOptions struct {
	dir            string
	binaries       string
	temporalListen string
	worker         string
	ephemeral      bool
}

func newDevCommand() *cobra.Command {
	var o devOptions
	cmd := configured("dev", "Run the whole stack on this machine: PostgreSQL, Temporal, the service, demo data",
		func(ctx context.Context, cmd *cobra.Command, c Config) error {
			return runDev(ctx, cmd.OutOrStdout(), c, o)
		})
	f := cmd.Flags()
	f.StringVar(&o.dir, "dir", ".procession", "directory of the stack's data, keys and logs")
	f.StringVar(&o.binaries, "postgres-binaries", "", "directory of initdb and postgres; empty to look for them")
	f.StringVar(&o.temporalListen, "temporal-listen", devTemporalAddress, "address of the stack's own Temporal")
	f.StringVar(&o.worker, "worker", "", "program of the example worker, or none")
	f.BoolVar(&o.ephemeral, "ephemeral", false, "start empty and forget all data on exit")
	for name, value := range map[string]string{
		"listen-tls": "127.0.0.1:8443", "log-format": "text",
	} {
		flag := f.Lookup(name)
		flag.DefValue = value
		// The values are valid.
		_ = flag.Value.Set(value)
	}
	f.Lookup("database-url").Usage = "existing PostgreSQL database to use instead of a private one (secret)"
	f.Lookup("temporal-address").Usage = "existing Temporal to use instead of the stack's own"
	return cmd
}

// stack is what runs beside the service, in the order it was started.
type stack struct {
	out   io.Writer
	stops []func(context.Context) error
	// died is closed when a part ends by itself.
	died chan string
}

func runDev(ctx context.Context, out io.Writer, c Config, o devOptions) (err error) {
	s := &stack{out: out, died: make(chan string, 3)}
	if err := checkFree(ctx, c, o); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()

	if o.ephemeral {
		if o.dir, err = os.MkdirTemp(pgcluster.ScratchDir(), "procession-dev-"); err != nil {
			return fmt.Errorf("making a directory for the stack: %w", err)
		}
		s.stops = append(s.stops, func(context.Context) error { return os.RemoveAll(o.dir) })
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return fmt.Errorf("finding the directory of the stack: %w", err)
	}
	if err := os.MkdirAll(o.dir, 0o711); err != nil { //nolint:gosec // PostgreSQL may run as another user below it
		return fmt.Errorf("making the directory of the stack: %w", err)
	}

	postgresURL, err := s.startPostgres(ctx, &c, o)
	if err != nil {
		return err
	}
	c.SealKeyFile = filepath.Join(o.dir, "seal.key")
	if _, err := authn.LoadOrCreateSealKey(c.SealKeyFile); err != nil {
		return err
	}
	log, err := s.openLog(o, "procession.log")
	if err != nil {
		return err
	}
	logger := newLogger(log, c)
	k, err := openKeys(ctx, c, logger)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, func(context.Context) error { k.db.Close(); return nil })
	files, err := writeServerCertificate(k.issuer, filepath.Join(o.dir, "tls"), []string{"127.0.0.1", "localhost"}, time.Now())
	if err != nil {
		return err
	}
	c.TLSCert, c.TLSKey = files.cert, files.key
	if err := demo.Load(ctx, k.db, time.Now()); err != nil {
		return fmt.Errorf("loading the demo data: %w", err)
	}
	ownTemporal := c.TemporalAddress == ""
	if ownTemporal {
		c.TemporalAddress = o.temporalListen
	}
	if err := writeDevConfig(o.dir, c); err != nil {
		return err
	}

	service, err := newService(c, k, logger, []byte(k.issuer.RootsPEM(time.Now())))
	if err != nil {
		return err
	}
	listeners, err := service.listen(ctx)
	if err != nil {
		return err
	}
	serving, stopServing := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- service.run(serving, listeners) }()
	s.stops = append(s.stops, func(context.Context) error { stopServing(); return <-served })

	// Temporal reads the keys from the service, so it comes after it; it is
	// stopped after it too.
	if ownTemporal {
		stopServingLast := s.stops[len(s.stops)-1]
		s.stops = s.stops[:len(s.stops)-1]
		err := s.startTemporal(ctx, c, o, files, postgresURL)
		s.stops = append(s.stops, stopServingLast)
		if err != nil {
			return err
		}
	}
	if err := s.awaitEngine(ctx, service); err != nil {
		return err
	}
	if err := s.startWorker(c, o); err != nil {
		return err
	}
	printBanner(out, c, o)
	select {
	case <-ctx.Done():
		fmt.Fprintln(out, "\nstopping")
		return nil
	case what := <-s.died:
		return fmt.Errorf("%s ended by itself; its log is in %s", what, o.dir)
	case err := <-served:
		served <- nil
		return err
	}
}

// stop ends the parts, the last one first.
func (s *stack) stop() error {
	var errs []error
	for i := len(s.stops) - 1; i >= 0; i-- {
		ctx, cancel := context.WithTimeout(context.Background(), devStopTimeout)
		errs = append(errs, s.stops[i](ctx))
		cancel()
	}
	return errors.Join(errs...)
}

// step tells that something that takes a moment begins, and returns what to
// call when it is done.
func (s *stack) step(what string) func() {
	start := time.Now()
	fmt.Fprintf(s.out, "%-40s", what)
	return func() { fmt.Fprintf(s.out, "%6d ms\n", time.Since(start).Milliseconds()) }
}

// checkFree finds out early, before anything is built, whether an address is
// taken.
func checkFree(ctx context.Context, c Config, o devOptions) error {
	addresses := [][2]string{
		{c.Listen, "listen"}, {c.ListenTLS, "listen-tls"}, {c.ListenAdmin, "listen-admin"},
	}
	if c.TemporalAddress == "" {
		addresses = append(addresses, [2]string{o.temporalListen, "temporal-listen"})
	}
	for _, a := range addresses {
		if a[0] == "" {
			continue
		}
		l, err := listen(ctx, a[0], a[1], nil, newLogger(io.Discard, c))
		if err != nil {
			return err
		}
		_ = l.Close()
	}
	return nil
}

// startPostgres starts the private PostgreSQL, unless the configuration names
// one, completes the configuration and returns the URL of the maintenance
// database, empty without a private PostgreSQL.
func (s *stack) startPostgres(ctx context.Context, c *Config, o devOptions) (string, error) {
	if c.DatabaseURL != "" {
		return "", nil
	}
	done := s.step("PostgreSQL")
	ctx, cancel := context.WithTimeout(ctx, devStartTimeout)
	defer cancel()
	dir := filepath.Join(o.dir, "postgres")
	cluster, err := pgcluster.Start(ctx, pgcluster.Options{Dir: dir, Binaries: o.binaries, Fast: o.ephemeral})
	if err != nil {
		return "", err
	}
	s.stops = append(s.stops, cluster.Stop)
	if o.ephemeral {
		s.stops = append(s.stops[:len(s.stops)-1], func(ctx context.Context) error {
			return errors.Join(cluster.Stop(ctx), pgcluster.Remove(dir))
		})
	}
	if err := cluster.CreateDatabase(ctx, "procession"); err != nil {
		return "", err
	}
	c.DatabaseURL = cluster.URL("procession")
	done()
	return cluster.URL("postgres"), nil
}

func (s *stack) startTemporal(ctx context.Context, c Config, o devOptions, files serverFiles, databaseURL string) error {
	source, err := temporalserver.FindSource()
	if err != nil {
		return err
	}
	binary, err := temporalserver.Build(ctx, temporalserver.BuildOptions{Source: source, Progress: s.out})
	if err != nil {
		return err
	}
	done := s.step("Temporal")
	log, err := s.openLog(o, "temporal.log")
	if err != nil {
		return err
	}
	store := temporalserver.StorePostgres
	if databaseURL == "" {
		// With a database of the user's, Temporal's own data is not to be mixed in.
		store = temporalserver.StoreSQLite
	}
	starting, cancel := context.WithTimeout(ctx, devStartTimeout)
	defer cancel()
	server, err := temporalserver.Start(starting, temporalserver.Options{
		Binary: binary, Listen: o.temporalListen, Store: store, DatabaseURL: databaseURL,
		JWKSURL: "http://" + c.Listen + "/.well-known/jwks.json", Issuer: c.Issuer,
		TLSCert: files.cert, TLSKey: files.key, ClientCA: files.ca, LogWriter: log,
	})
	if err != nil {
		return err
	}
	s.stops = append(s.stops, server.Stop)
	s.watch("Temporal", server.Done())
	done()
	return nil
}

// startWorker runs the example worker as any other worker would run: with an
// application's credentials and the addresses, and nothing else.
func (s *stack) startWorker(c Config, o devOptions) error {
	if o.worker == "" || o.worker == noWorker {
		return nil
	}
	done := s.step("example worker")
	log, err := s.openLog(o, "loan-worker.log")
	if err != nil {
		return err
	}
	account := demo.LoanWorker()
	// The worker must outlive ctx: it is stopped in its turn.
	cmd := exec.Command(o.worker) //nolint:gosec,noctx // the user names the program; see above
	cmd.Env = append(os.Environ(),
		"LOAN_WORKER_ENDPOINT=http://"+c.Listen,
		"LOAN_WORKER_TEMPORAL_ADDRESS="+c.TemporalAddress,
		"LOAN_WORKER_CLIENT_ID="+account.ID.String(),
		"LOAN_WORKER_CLIENT_SECRET="+account.Secret)
	cmd.Stdout, cmd.Stderr = log, log
	process, err := child.Start(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, func(ctx context.Context) error {
		return process.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL)
	})
	s.watch("the example worker", process.Done())
	done()
	return nil
}

// openLog opens a log in the directory of the stack, to be added to. It is
// closed after all that is started from now on has stopped.
func (s *stack) openLog(o devOptions, name string) (*os.File, error) {
	//nolint:gosec // the directory is the user's choice
	file, err := os.OpenFile(filepath.Join(o.dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a log: %w", err)
	}
	s.stops = append(s.stops, func(context.Context) error { return file.Close() })
	return file, nil
}

// awaitEngine waits until Temporal has all the service needs of it: before that
// the worker could not connect.
func (s *stack) awaitEngine(ctx context.Context, service *service) error {
	done := s.step("namespaces and observers")
	ctx, cancel := context.WithTimeout(ctx, devStartTimeout)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for !service.supervisor.Ready() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for Temporal to be of use: %w", ctx.Err())
		case <-ticker.C:
		}
	}
	done()
	return nil
}

// watch reports a part that ends.
func (s *stack) watch(what string, done <-chan struct{}) {
	go func() {
		<-done
		s.died <- what
	}()
}

// writeDevConfig writes the settings in force, so that other commands can be
// pointed at the stack with --config.
func writeDevConfig(dir string, c Config) error {
	out, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "procession.yaml"), out, 0o600); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}

// hostPort is address with a host that a client can connect to.
func hostPort(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host != "" && host != "0.0.0.0" && host != "::" {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}
