package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/officialtemporal"
	"github.com/procession-dev/procession/devstack/temporalserver"
)

// engine is a Temporal that the stack starts.
type engine string

const (
	engineAuto     engine = "auto"
	engineGuarded  engine = "guarded"
	engineOfficial engine = "official"

	engineFlag = "engine"
	// engineFile contains the engine of a directory, which has the workflows of its processes.
	engineFile = "engine"
)

// Set implements pflag.Value.
func (e *engine) Set(value string) error {
	if all := []engine{engineAuto, engineGuarded, engineOfficial}; !slices.Contains(all, engine(value)) {
		return fmt.Errorf("it must be one of %v", all)
	}
	*e = engine(value)
	return nil
}

// String implements pflag.Value.
func (e *engine) String() string { return string(*e) }

// Type implements pflag.Value.
func (*engine) Type() string { return "engine" }

// chooseEngine replaces auto, and records the engine in the directory. The engine of a directory never changes.
func (o *Options) chooseEngine(ctx context.Context) error {
	file := filepath.Join(o.dir, engineFile)
	recorded, err := os.ReadFile(file) //nolint:gosec // a file of the stack's directory
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("reading the engine of the stack: %w", err)
	}
	of := engine(strings.TrimSpace(string(recorded)))
	if _, err := os.Stat(filepath.Join(o.dir, "postgres")); of == "" && err == nil {
		of = engineGuarded
	}
	switch {
	case o.engine == engineAuto && of != "":
		o.engine = of
	case o.engine == engineAuto:
		if o.engine, err = availableEngine(ctx); err != nil {
			return err
		}
	case of != "" && of != o.engine:
		return config.UsageError{Err: fmt.Errorf("the workflows in %s are in the %s Temporal: use --%s %[2]s, or another --dir", o.dir, of, engineFlag)}
	}
	if err := o.checkEngine(); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(o.engine+"\n"), 0o600); err != nil {
		return fmt.Errorf("recording the engine of the stack: %w", err)
	}
	return nil
}

// checkEngine refuses the official Temporal where it is not installed, and beyond loopback, where it would serve everybody.
func (o *Options) checkEngine() error {
	if o.engine != engineOfficial {
		return nil
	}
	if host, _, err := net.SplitHostPort(o.temporalListen); err == nil && !config.IsLoopback(host) {
		return config.UsageError{Err: fmt.Errorf("--temporal-listen is %s, and the official Temporal listens on loopback only: it requires no credentials", o.temporalListen)}
	}
	_, err := officialtemporal.Find()
	return err
}

// availableEngine returns the guarded Temporal if it is compiled or the official one is not installed.
func availableEngine(ctx context.Context) (engine, error) {
	source, err := temporalserver.FindSource()
	if err != nil {
		return "", err
	}
	built, err := temporalserver.Built(ctx, temporalserver.BuildOptions{Source: source})
	if err != nil {
		return "", err
	}
	_, missing := officialtemporal.Find()
	if built || missing != nil {
		return engineGuarded, nil //nolint:nilerr // the guarded one is compiled then
	}
	return engineOfficial, nil
}

// startTemporal starts the engine. databaseURL is the maintenance database of the stack's PostgreSQL, "" for a database of the user.
func (s *stack) startTemporal(ctx context.Context, c config.Config, o Options, files server.CertificateFiles, databaseURL string) error {
	binary, err := o.engineBinary(ctx, s)
	if err != nil {
		return err
	}
	done := s.startStep("Temporal")
	log, err := s.openLog(o, "temporal.log")
	if err != nil {
		return err
	}
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if o.engine == engineOfficial {
		s.temporal, err = officialtemporal.Start(officialtemporal.Options{
			Binary: binary, Listen: o.temporalListen, DataFile: filepath.Join(o.dir, "temporal.db"), LogWriter: log,
		})
	} else {
		store := temporalserver.StorePostgres
		if databaseURL == "" {
			// Data of Temporal stays out of a database that the user gave.
			store = temporalserver.StoreSQLite
		}
		s.temporal, err = temporalserver.Start(starting, temporalserver.Options{
			Binary: binary, Listen: o.temporalListen, Store: store, DatabaseURL: databaseURL,
			JWKSURL: "http://" + c.Listen + "/.well-known/jwks.json", Issuer: c.Issuer,
			TLSCert: files.Cert, TLSKey: files.Key, ClientCA: files.CA, LogWriter: log,
		})
	}
	if err != nil {
		s.temporal = nil
		return err
	}
	s.watch("Temporal", s.temporal.Done())
	done()
	return nil
}

// engineBinary returns the program of the engine. It compiles temporal-server if necessary.
func (o *Options) engineBinary(ctx context.Context, s *stack) (string, error) {
	if o.engine == engineOfficial {
		return officialtemporal.Find()
	}
	source, err := temporalserver.FindSource()
	if err != nil {
		return "", err
	}
	return temporalserver.Build(ctx, temporalserver.BuildOptions{Source: source, Progress: s.out})
}

func (s *stack) stopTemporal(ctx context.Context) error {
	if s.temporal == nil {
		return nil
	}
	return s.temporal.Stop(ctx)
}
