package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// listener is one address that is served.
type listener struct {
	net.Listener
	server *http.Server
	// certificate and key are files; both are empty for plain HTTP.
	certificate, key string
}

// listen opens an address. When it is taken, the error names it and the flag
// that changes it.
func listen(ctx context.Context, address, flag string, handler http.Handler, log *slog.Logger) (*listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program; choose another address with --%s", address, flag)
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
	}}, nil
}

// serveUntil serves the listeners until ctx ends, then stops accepting and waits
// up to drain for requests to end.
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
	if l.certificate != "" {
		return l.server.ServeTLS(l.Listener, l.certificate, l.key)
	}
	return l.server.Serve(l.Listener)
}
