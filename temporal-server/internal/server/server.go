// Package server runs Temporal's services in this process with Procession's access rules.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/procession-dev/procession/temporal-server/access"
	"github.com/procession-dev/procession/temporal-server/internal/certs"
	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/store"
)

// readyWait bounds the time until the frontend answers after its services have started.
const readyWait = 60 * time.Second

// Server is a running Temporal server.
type Server struct {
	address    string
	temporal   temporal.Server
	beforeStop func()
	closers    []func() error // run in reverse order once Temporal has stopped
}

// Start starts a server and returns when its frontend answers, if it has one. It logs
// denials and errors of keys and certificates to logger, and Temporal's own log to
// stderr at the level in opts. After an error no service runs.
func Start(ctx context.Context, opts options.Options, logger *slog.Logger, clock func() time.Time) (_ *Server, err error) {
	s := &Server{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Stop())
		}
	}()
	quiet, err := zap.ParseAtomicLevel(opts.LogLevel)
	if err != nil {
		return nil, fmt.Errorf("reading --log-level: %w", err)
	}
	temporalLog := log.With(
		log.NewZapLogger(log.BuildZapLogger(log.Config{Level: opts.LogLevel}).WithOptions(zap.IncreaseLevel(quiet))),
		tag.String("component", "temporal"))

	var reserved reservations
	layout, err := placeServices(ctx, opts, &reserved)
	if err != nil {
		return nil, errors.Join(err, reserved.releaseAll())
	}
	// Held until NewServer opens the listeners: Temporal exits when an address is in use.
	release := reserved.releaseAll
	defer func() {
		if release != nil {
			err = errors.Join(err, release())
		}
	}()

	meters, err := openMetrics(ctx, opts, temporalLog)
	if err != nil {
		return nil, err
	}
	files := certs.Files{Cert: opts.TLSCert, Key: opts.TLSKey, ClientCA: opts.ClientCA}
	tlsProvider, err := certs.NewProvider(files, opts.Internal, opts.TLSRefresh, clock(), logger, meters) //nolint:contextcheck // it lives until Close, ctx bounds the start only
	if err != nil {
		return nil, err
	}
	s.onStop(func() error { tlsProvider.Close(); return nil })

	opened, err := store.Open(ctx, opts, temporalLog)
	if err != nil {
		return nil, err
	}
	s.onStop(opened.Close)

	guard, err := access.New(ctx, access.Options{
		KeySetURL: opts.JWKSURL, KeySetRefresh: opts.JWKSRefresh,
		RevocationsURL: opts.RevocationsURL, RevocationsRefresh: opts.RevocationsRefresh,
		AllowPlainHTTP: opts.AllowPlainHTTP, MaxAge: opts.PublishedMaxAge, Store: opened.Shared,
		Issuer:        opts.Issuer,
		EngineMethods: opts.EngineMethods, NexusEndpoints: opts.NexusEndpoints, UncheckedCommandQueues: !opts.CheckCommands,
		Logger: logger, TemporalLogger: temporalLog, Metrics: meters, Clock: clock,
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the access rules: %w", err)
	}
	s.onStop(func() error { guard.Close(); return nil })

	var names []string
	for _, name := range options.Services() {
		if opts.Runs(name) {
			names = append(names, string(name))
		}
	}
	err = reserved.releaseAll()
	release = nil
	if err != nil {
		return nil, fmt.Errorf("freeing the reserved addresses: %w", err)
	}
	serverOptions := append(guard.ServerOptions(),
		temporal.ForServices(names),
		temporal.WithConfig(temporalConfig(opts, layout, opened.Persistence)),
		temporal.WithLogger(temporalLog),
		temporal.WithDynamicConfigClient(dynamicConfig(opts)),
		temporal.WithTLSConfigFactory(tlsProvider),
		temporal.WithCustomMetricsHandler(meters),
		temporal.WithChainedFrontendGrpcInterceptors(guard.Interceptor(), refuseWithoutWorkers(opts.SystemWorkers)),
	)
	if opts.Split() {
		serverOptions = append(serverOptions, temporal.WithClientFactoryProvider(clientFactories{}))
	} else {
		serverOptions = append(serverOptions, temporal.WithStaticHosts(layout.hosts))
	}
	built, err := temporal.NewServer(serverOptions...)
	if err != nil {
		return nil, fmt.Errorf("building the Temporal server: %w", err)
	}
	s.temporal = built
	if opts.LogLevel != "debug" {
		// Stopping cancels the calls between the services, which would be logged as errors.
		s.beforeStop = func() { quiet.SetLevel(zapcore.FatalLevel) }
	}
	if err := built.Start(); err != nil {
		return nil, fmt.Errorf("starting the Temporal server: %w", err)
	}
	if opts.Runs(primitives.FrontendService) {
		if err := awaitReady(ctx, layout.address, tlsProvider); err != nil {
			return nil, fmt.Errorf("waiting for the frontend on %s: %w", layout.address, err)
		}
	}
	s.address = layout.address
	return s, nil
}

// Address returns the host:port of the frontend, or of another service in a process without a frontend. It has the loopback address if
// the frontend listens on every address.
func (s *Server) Address() string { return s.address }

// Stop stops the services and releases the database.
func (s *Server) Stop() error {
	var errs []error
	if s.temporal != nil {
		if s.beforeStop != nil {
			s.beforeStop()
		}
		if err := s.temporal.Stop(); err != nil {
			errs = append(errs, fmt.Errorf("stopping the Temporal server: %w", err))
		}
		s.temporal = nil
	}
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(errs...)
}

func (s *Server) onStop(closer func() error) { s.closers = append(s.closers, closer) }

// awaitReady checks the health of the frontend, over the address of other callers, until it serves.
func awaitReady(ctx context.Context, address string, tlsProvider *certs.Provider) (err error) {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(tlsProvider.ProbeConfig())))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	health := grpc_health_v1.NewHealthClient(conn)
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		res, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: workflowservice.WorkflowService_ServiceDesc.ServiceName}, grpc.WaitForReady(true))
		if err == nil && res.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING {
			return nil
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}
