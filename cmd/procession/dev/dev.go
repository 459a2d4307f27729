// Package dev runs the whole stack on one machine: PostgreSQL, Temporal, the service, demo data and example workers.
package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/cmd/procession/config"
)

const (
	// temporalAddress is the default address of the Temporal of the local stack.
	temporalAddress = "127.0.0.1:7233"
	// stopTimeout bounds the stop of one part of the stack.
	stopTimeout = 20 * time.Second
	// startTimeout bounds the start of one part, without the first build of Temporal.
	startTimeout   = 2 * time.Minute
	noWorker       = "none"
	portOffsetFlag = "port-offset"
)

// Options contains the flags of the local stack that are not settings of the service.
type Options struct {
	dir            string
	binaries       string
	temporalListen string
	engine         engine
	workers        []string
	portOffset     int
	ephemeral      bool
	expose         bool
}

// BindFlags declares the flags, and changes defaults of the settings, which are bound to f.
func (o *Options) BindFlags(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "dir", ".procession", "directory of the stack's data, keys and logs")
	f.StringVar(&o.binaries, "postgres-binaries", "", "directory of initdb and postgres; empty to look for them")
	f.StringVar(&o.temporalListen, "temporal-listen", temporalAddress, "address of the stack's own Temporal")
	o.engine = engineAuto
	f.Var(&o.engine, engineFlag, "Temporal of the stack: guarded (temporal-server, which is compiled once), official "+
		"(Temporal's development server, without access rules), or auto: the one of the directory, else guarded if it is compiled")
	f.StringSliceVar(&o.workers, "worker", nil, "`program` of an example worker, such as bin/loan-worker, or none; repeatable")
	f.IntVar(&o.portOffset, portOffsetFlag, 0, "add `n` to the ports of all addresses that the stack listens on")
	f.BoolVar(&o.ephemeral, "ephemeral", false, "start empty and forget all data on exit")
	f.BoolVar(&o.expose, exposeFlag, false,
		"listen beyond loopback too, so that other machines can use the demo accounts and their public secrets")
	for name, value := range map[string]string{
		"listen-tls": "127.0.0.1:8443", "log-format": "text", "hsts-max-age": "0s", "drain-delay": "0s", "webhook-allow": "127.0.0.1",
		"assistance-builtin": "true", "forms-as-documents": "true",
	} {
		flag := f.Lookup(name)
		flag.DefValue = value
		// The values are valid.
		_ = flag.Value.Set(value)
	}
	f.Lookup("database-url").Usage = "existing PostgreSQL database to use instead of a private one (secret)"
	f.Lookup("temporal-address").Usage = "existing Temporal to use instead of the stack's own"
}

// Run starts the stack part by part and runs it until ctx ends or a part ends. Temporal reads the keys of
// the service: it starts after the service, and stops after it too.
func Run(ctx context.Context, out io.Writer, c config.Config, o Options) (err error) {
	if err := checkLoopback(&c, &o); err != nil {
		return err
	}
	if err := movePorts(&c, &o); err != nil {
		return err
	}
	if err := checkFree(ctx, &c, &o); err != nil {
		return err
	}
	if err := checkOwnDatabase(ctx, c); err != nil {
		return err
	}
	s := &stack{out: out, died: make(chan string, 1)}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.prepareDir(&o); err != nil {
		return err
	}
	ownTemporal := c.TemporalAddress == ""
	if ownTemporal {
		if err := o.chooseEngine(ctx); err != nil {
			return err
		}
		c.TemporalAddress, c.TemporalTLS = o.temporalListen, c.TemporalTLS && o.engine != engineOfficial
	}
	maintenanceURL, err := s.startPostgres(ctx, &c, o)
	if err != nil {
		return err
	}
	service, files, err := s.prepareService(ctx, &c, o)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, s.stopTemporal)
	served, err := s.startService(ctx, service)
	if err != nil {
		return err
	}
	if ownTemporal {
		if err := s.startTemporal(ctx, c, o, files, maintenanceURL); err != nil {
			return err
		}
	}
	if err := s.awaitEngine(ctx, service); err != nil {
		return err
	}
	if err := s.startWorkers(c, o); err != nil {
		return err
	}
	printBanner(out, c, o, s.newDemo)
	select {
	case <-ctx.Done():
		fmt.Fprintln(out, "\nstopping")
		return nil
	case part := <-s.died:
		return fmt.Errorf("%s ended by itself; see the logs in %s", part, o.dir)
	case <-served:
		return nil
	}
}

// movePorts adds the offset to the ports of all addresses.
func movePorts(c *config.Config, o *Options) error {
	if o.portOffset == 0 {
		return nil
	}
	for _, a := range listenAddresses(c, o) {
		host, port, err := net.SplitHostPort(*a.address)
		if err != nil {
			return config.UsageError{Err: fmt.Errorf("--%s must be host:port: %w", a.flag, err)}
		}
		number, err := strconv.Atoi(port)
		if moved := number + o.portOffset; err != nil || moved < 1 || moved > math.MaxUint16 {
			return config.UsageError{Err: fmt.Errorf("--%s %d moves --%s %s out of the range of ports", portOffsetFlag, o.portOffset, a.flag, *a.address)}
		}
		*a.address = net.JoinHostPort(host, strconv.Itoa(number+o.portOffset))
	}
	return nil
}

// checkFree returns an error that names all addresses in use, before anything is built or started.
func checkFree(ctx context.Context, c *config.Config, o *Options) error {
	var listening net.ListenConfig
	var taken []string
	for _, a := range listenAddresses(c, o) {
		l, err := listening.Listen(ctx, "tcp", *a.address)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			taken = append(taken, fmt.Sprintf("%s (--%s)", *a.address, a.flag))
		case err != nil:
			return fmt.Errorf("listening for --%s: %w", a.flag, err)
		default:
			_ = l.Close()
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return fmt.Errorf("other programs use %s; move all ports with --%s 100, with make: make run DEV_FLAGS='--%[2]s 100'",
		strings.Join(taken, ", "), portOffsetFlag)
}

// configFile is the configuration of the stack, in its directory.
const configFile = "procession.yaml"

// writeConfig writes the settings in force, for the flag --config of other commands.
func writeConfig(dir string, c config.Config) error {
	out, err := c.YAML()
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, configFile), out, 0o600); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}
