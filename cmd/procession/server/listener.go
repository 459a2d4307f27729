package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/api/chain"
)

// listener is an open address with its HTTP server.
type listener struct {
	net.Listener

	server *http.Server
	// certificate is nil for plain HTTP.
	certificate *servedCertificate
}

// openListener opens an address. If the address is in use, the error names it and the flag that changes it.
func openListener(ctx context.Context, address, flag string, handler http.Handler, log *slog.Logger) (*listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program; choose another address with --%s: %w", address, flag, syscall.EADDRINUSE)
	}
	if err != nil {
		return nil, fmt.Errorf("listening for --%s: %w", flag, err)
	}
	return &listener{Listener: l, server: &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		// Handlers bound the writes of streams; this bounds a connection that accepts no data.
		HTTP2: &http.HTTP2Config{WriteByteTimeout: time.Minute},
	}}, nil
}

// limitConnections bounds the open connections.
func (l *listener) limitConnections(shares connectionShares, open, refused *atomic.Int64) {
	limited := newConnectionLimit(l.Listener, shares, open, refused)
	l.Listener = limited
	l.server.ConnContext = limited.markSurplus
	l.server.Handler = limited.refuseSurplus(l.server.Handler)
}

// closeWhileDraining closes each connection after its answer while the service is draining, so that clients that keep connections
// open use another replica before the listener closes. A connection of HTTP/2 gets GOAWAY.
func (s *Service) closeWhileDraining(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// serveTLS serves the listener over HTTPS and sends Strict-Transport-Security with maxAge.
func (l *listener) serveTLS(certificate *servedCertificate, maxAge time.Duration, subdomains bool) {
	l.certificate = certificate
	l.server.TLSConfig = certificate.tlsConfig()
	l.server.Handler = strictTransport(maxAge, subdomains, l.server.Handler)
}

// Listeners contains the open listeners of the REST API and of the health checks.
type Listeners struct{ api, health []*listener }

// OpenListeners opens all addresses of the configuration, or none, and puts each handler behind its chain.
func (s *Service) OpenListeners(ctx context.Context) (opened Listeners, err error) {
	defer func() {
		if err != nil {
			for _, l := range slices.Concat(opened.api, opened.health) {
				_ = l.Close()
			}
		}
	}()
	var certificate *servedCertificate
	if s.config.TLSCert != "" {
		if certificate, err = loadCertificate(s.config.TLSCert, s.config.TLSKey, s.log); err != nil {
			return opened, err
		}
		s.certificate.Store(certificate)
	}
	proxies, err := s.config.Proxies()
	if err != nil {
		return opened, err
	}
	shares := connectionShares{most: s.config.MaxConnections, each: s.config.AddressShare(), proxies: proxies}
	for _, a := range []struct {
		to            *[]*listener
		address, flag string
		chain         *chain.Chain
		handler       http.Handler
		certificate   *servedCertificate
		open          *atomic.Int64
	}{
		{&opened.api, s.config.Listen, "listen", s.clients, s.clientHandler, nil, &s.connections.plain},
		{&opened.api, s.config.ListenTLS, "listen-tls", s.clients, s.clientHandler, certificate, &s.connections.secure},
		{&opened.api, s.config.ListenAdministration, "listen-administration", s.clients, s.administrationHandler, certificate, &s.connections.administration},
		{&opened.health, s.config.ListenHealth, "listen-health", s.operators, s.healthHandler, nil, &s.connections.health},
	} {
		if a.address == "" {
			continue
		}
		l, err := openListener(ctx, a.address, a.flag, a.chain.Handler(a.handler), s.log)
		if err != nil {
			return opened, err
		}
		l.limitConnections(shares, a.open, &s.connections.rejected)
		l.server.Handler = s.closeWhileDraining(l.server.Handler)
		if a.certificate != nil {
			l.serveTLS(a.certificate, s.config.HSTSMaxAge, s.config.HSTSSubdomains)
		}
		*a.to = append(*a.to, l)
	}
	return opened, nil
}

// serveUntil serves the listeners until ctx ends, stops accepting connections, and waits at most drain for
// requests to finish.
func serveUntil(ctx context.Context, drain time.Duration, listeners []*listener) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, l := range listeners {
		group.Go(func() error {
			err := l.serve()
			if errors.Is(err, http.ErrServerClosed) {
				return nil
			}
			return fmt.Errorf("serving %s: %w", l.Addr(), err)
		})
		group.Go(func() error {
			<-ctx.Done()
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
			defer cancel()
			if err := l.server.Shutdown(stop); err != nil {
				return fmt.Errorf("draining %s: %w", l.Addr(), err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (l *listener) serve() error {
	if l.certificate != nil {
		return l.server.ServeTLS(l.Listener, "", "")
	}
	return l.server.Serve(l.Listener)
}
