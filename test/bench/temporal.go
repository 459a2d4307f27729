package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/procession-dev/procession/devstack/temporalserver"
)

// temporalProcesses returns the services of each process of a spread Temporal, in the order in which they are started.
func temporalProcesses() [][]string {
	return [][]string{{"history"}, {"matching"}, {"frontend", "internal-frontend"}, {"worker"}}
}

// startTemporal builds and starts Temporal, as one process or spread over several.
func (s *stack) startTemporal(ctx context.Context, spread bool, progress io.Writer) error {
	source, err := temporalserver.FindSource()
	if err != nil {
		return err
	}
	binary, err := temporalserver.Build(ctx, temporalserver.BuildOptions{Source: source, Progress: progress})
	if err != nil {
		return err
	}
	o := temporalserver.Options{
		Binary: binary, Listen: s.temporal, Store: temporalserver.StorePostgres, DatabaseURL: s.cluster.URL("postgres"),
		JWKSURL: "http://" + s.address + "/.well-known/jwks.json", Issuer: issuerName,
		TLSCert: filepath.Join(s.dir, "server.pem"), TLSKey: filepath.Join(s.dir, "server-key.pem"),
		ClientCA: filepath.Join(s.dir, "ca.pem"),
	}
	if !spread {
		return s.startTemporalProcess(ctx, o)
	}
	o.Internal = filepath.Join(s.dir, "internal.pem")
	if err := temporalserver.WriteInternal(ctx, binary, o.Internal); err != nil {
		return err
	}
	inside := slices.DeleteFunc(slices.Concat(temporalProcesses()...), func(service string) bool { return service == "frontend" })
	addresses, err := freeAddresses(ctx, len(inside))
	if err != nil {
		return err
	}
	o.Advertise = "127.0.0.1"
	for i, service := range inside {
		_, port, err := net.SplitHostPort(addresses[i])
		if err != nil {
			return fmt.Errorf("choosing the port of %s: %w", service, err)
		}
		o.Ports = append(o.Ports, service+"="+port)
	}
	for _, services := range temporalProcesses() {
		o.Services = services
		if services[0] == "history" {
			s.history = o
		}
		if err := s.startTemporalProcess(ctx, o); err != nil {
			return fmt.Errorf("starting Temporal's %s: %w", services[0], err)
		}
	}
	return nil
}

func (s *stack) startTemporalProcess(ctx context.Context, o temporalserver.Options) error {
	log, err := os.OpenFile(filepath.Join(s.dir, "temporal.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening Temporal's log: %w", err)
	}
	o.LogWriter = log
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	server, err := temporalserver.Start(starting, o)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	s.engine = append(s.engine, server)
	s.onStop(func(ctx context.Context) error { return errors.Join(server.Stop(ctx), log.Close()) })
	return nil
}
