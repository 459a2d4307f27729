package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/console/notifications"
	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/devstack/pgcluster"
)

// stack contains the started programs of the local stack, in the order of their start.
type stack struct {
	out   io.Writer
	stops []func(context.Context) error
	// died receives the name of each part that ends.
	died     chan string
	temporal interface {
		Done() <-chan struct{}
		Stop(ctx context.Context) error
	}
	// newDemo reports whether the demo data were loaded by this start.
	newDemo bool
}

// stop stops the parts, the last one first.
func (s *stack) stop() error {
	var errs []error
	for i := len(s.stops) - 1; i >= 0; i-- {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		errs = append(errs, s.stops[i](ctx))
		cancel()
	}
	return errors.Join(errs...)
}

// startStep prints the start of a step, and returns a function that prints its duration.
func (s *stack) startStep(name string) func() {
	start := time.Now()
	fmt.Fprintf(s.out, "%-40s", name)
	return func() { fmt.Fprintf(s.out, "%6d ms\n", time.Since(start).Milliseconds()) }
}

// prepareDir creates the directory of the stack, a temporary one if the stack is ephemeral.
func (s *stack) prepareDir(o *Options) (err error) {
	if o.ephemeral {
		if o.dir, err = os.MkdirTemp(pgcluster.ScratchDir(), "procession-dev-"); err != nil {
			return fmt.Errorf("creating a directory for the stack: %w", err)
		}
		dir := o.dir
		s.stops = append(s.stops, func(context.Context) error { return os.RemoveAll(dir) })
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return fmt.Errorf("resolving the directory of the stack: %w", err)
	}
	if err := os.MkdirAll(o.dir, 0o711); err != nil { //nolint:gosec // PostgreSQL may run as another user below it
		return fmt.Errorf("creating the directory of the stack: %w", err)
	}
	return nil
}

// prepareService creates the service with its keys, its certificate and the demo data. It completes the
// configuration and writes it for other commands.
func (s *stack) prepareService(ctx context.Context, c *config.Config, o Options) (*server.Service, server.CertificateFiles, error) {
	var files server.CertificateFiles
	c.SealKeyFile = filepath.Join(o.dir, "seal.key")
	if _, err := authn.LoadOrCreateSealKey(c.SealKeyFile); err != nil {
		return nil, files, err
	}
	logFile, err := s.openLog(o, "procession.log")
	if err != nil {
		return nil, files, err
	}
	log := c.NewLogger(logFile)
	k, err := server.OpenKeys(ctx, *c, log)
	if err != nil {
		return nil, files, err
	}
	s.stops = append(s.stops, func(context.Context) error { k.DB.Close(); return nil })
	now := time.Now()
	if s.newDemo, err = demo.LoadNew(ctx, k.DB, k.Sealer, now); err != nil {
		return nil, files, fmt.Errorf("loading the demo data: %w", err)
	}
	files, err = server.WriteCertificate(k.Issuer, filepath.Join(o.dir, "tls"), []string{"127.0.0.1", "localhost"}, now)
	if err != nil {
		return nil, files, err
	}
	c.TLSCert, c.TLSKey = files.Cert, files.Key
	c.PublicURL = cmp.Or(c.PublicURL, localURL(c.HTTP))
	documents, err := s.openDocuments(ctx, c, o)
	if err != nil {
		return nil, files, err
	}
	if err := demo.LoadFiles(ctx, k.DB, documents, now); err != nil {
		return nil, files, fmt.Errorf("loading the demo data: %w", err)
	}
	if err := writeConfig(o.dir, *c); err != nil {
		return nil, files, err
	}
	made, err := server.New(server.Options{
		Config: *c, Keyring: k, Documents: documents, Log: log,
		Local: server.LocalOptions{Authority: []byte(k.Issuer.RootsPEM()), Hosts: allowedHosts(c, &o), Users: demoUsers(), Mailbox: &notifications.Mailbox{}},
	})
	return made, files, err
}

// openDocuments opens the blob store: a directory of the stack unless one is configured.
func (s *stack) openDocuments(ctx context.Context, c *config.Config, o Options) (*blobstore.Store, error) {
	if c.DocumentsURL == "" {
		where := url.URL{Scheme: "file", Path: filepath.Join(o.dir, "documents")}
		c.DocumentsURL = where.String()
	}
	documents, err := blobstore.Open(ctx, c.DocumentsURL)
	if err != nil {
		return nil, err
	}
	s.stops = append(s.stops, func(context.Context) error { return documents.Close() })
	// The directory and the database of the stack belong together.
	return documents, documents.Mark()
}

// startService runs the service until the stack stops. The returned channel is closed when the service has
// ended.
func (s *stack) startService(ctx context.Context, made *server.Service) (<-chan struct{}, error) {
	opened, err := made.OpenListeners(ctx)
	if err != nil {
		return nil, err
	}
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	var result error
	go func() {
		defer close(ended)
		result = made.Run(serving, opened)
	}()
	s.stops = append(s.stops, func(context.Context) error {
		stopServing()
		<-ended
		return result
	})
	return ended, nil
}

// startPostgres starts a private PostgreSQL unless a database is configured, and completes the configuration.
// It returns the URL of the maintenance database, "" for a configured database.
func (s *stack) startPostgres(ctx context.Context, c *config.Config, o Options) (string, error) {
	if c.DatabaseURL != "" {
		return "", nil
	}
	done := s.startStep("PostgreSQL")
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir := filepath.Join(o.dir, "postgres")
	cluster, err := pgcluster.Start(ctx, pgcluster.Options{Dir: dir, Binaries: o.binaries, Fast: o.ephemeral})
	if err != nil {
		return "", err
	}
	s.stops = append(s.stops, func(ctx context.Context) error {
		err := cluster.Stop(ctx)
		if o.ephemeral {
			err = errors.Join(err, pgcluster.Remove(dir))
		}
		return err
	})
	if err := cluster.CreateDatabase(ctx, "procession"); err != nil {
		return "", err
	}
	c.DatabaseURL = cluster.URL("procession")
	done()
	return cluster.URL("postgres"), nil
}

// startWorkers starts the example workers with the credentials of an application and the addresses, like any
// worker. The environment variables of bin/loan-worker begin with LOAN_WORKER_.
func (s *stack) startWorkers(c config.Config, o Options) error {
	account := demo.LoanWorker()
	for _, program := range o.workers {
		if program == noWorker {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(program), "-worker") + "-worker"
		done := s.startStep(name)
		log, err := s.openLog(o, name+".log")
		if err != nil {
			return err
		}
		prefix := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		// The worker outlives ctx: the stack stops it in order.
		cmd := exec.Command(program) //nolint:gosec,noctx // the user names the program; see above
		cmd.Env = append(os.Environ(),
			prefix+"_ENDPOINT=http://"+c.Listen,
			prefix+"_TEMPORAL_ADDRESS="+c.TemporalAddress,
			prefix+"_TEMPORAL_PLAINTEXT="+strconv.FormatBool(!c.TemporalTLS),
			prefix+"_CLIENT_ID="+account.ID.String(),
			prefix+"_CLIENT_SECRET="+account.Secret)
		cmd.Stdout, cmd.Stderr = log, log
		process, err := child.Start(cmd, syscall.SIGTERM)
		if err != nil {
			return err
		}
		s.stops = append(s.stops, func(ctx context.Context) error {
			return process.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL)
		})
		s.watch("the example worker "+name, process.Done())
		done()
	}
	return nil
}

// openLog opens a log in the directory of the stack for appending. It is closed after all parts that start
// later have stopped.
func (s *stack) openLog(o Options, name string) (*os.File, error) {
	//nolint:gosec // the directory is the user's choice
	file, err := os.OpenFile(filepath.Join(o.dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a log: %w", err)
	}
	s.stops = append(s.stops, func(context.Context) error { return file.Close() })
	return file, nil
}

// awaitEngine waits for the namespaces of the service in Temporal, which workers need to connect.
func (s *stack) awaitEngine(ctx context.Context, service *server.Service) error {
	done := s.startStep("namespaces")
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for !service.Ready() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for Temporal to become ready: %w", ctx.Err())
		case <-ticker.C:
		}
	}
	done()
	return nil
}

// watch reports the end of the first part that ends.
func (s *stack) watch(part string, done <-chan struct{}) {
	go func() {
		<-done
		select {
		case s.died <- part:
		default:
		}
	}()
}
