// Package certs provides Temporal's TLS settings: mutual TLS with certificates from files on the frontend, and mutual TLS with a
// certificate of the process between its services.
//
// Temporal's own reloading of files does not notice a second CA that is appended to a bundle, because it compares only the first
// certificate of each file. The rotation of CAs depends on that.
package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"go.temporal.io/server/common/metrics"

	"github.com/procession-dev/procession/temporal-server/internal/tlspolicy"
)

// Files names the PEM files of the frontend's listener.
type Files struct {
	Cert     string // certificate chain, leaf first
	Key      string // private key of the leaf
	ClientCA string // the CAs of client certificates
}

// metricExpiry is the name of the gauge that Procession has for its own certificates too, so that one alert watches all.
const metricExpiry = "procession_certificate_expiry_timestamp_seconds"

// frontend reloads the TLS settings of the listener when its files change.
type frontend struct {
	files   Files
	trust   *x509.Certificate // accepted as a client certificate in addition to the CA file
	logger  *slog.Logger
	meters  metrics.Handler
	current atomic.Pointer[loadedFiles]
}

// loadedFiles contains the files of one read and the resulting settings.
type loadedFiles struct {
	cert, key, clientCA []byte
	config              *tls.Config
}

func newFrontend(files Files, trust *x509.Certificate, logger *slog.Logger, meters metrics.Handler) (*frontend, error) {
	f := &frontend{files: files, trust: trust, logger: logger, meters: meters}
	if err := f.reloadFiles(); err != nil {
		return nil, err
	}
	return f, nil
}

// serverConfig returns settings that use the current files at each handshake.
func (f *frontend) serverConfig() *tls.Config {
	cfg := f.current.Load().config.Clone()
	cfg.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return f.current.Load().config, nil
	}
	return cfg
}

// reloadPeriodically reloads the files every interval until ctx ends. Invalid content
// is logged and the previous settings remain in force, because a rotation does not
// change all files at once.
func (f *frontend) reloadPeriodically(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := f.reloadFiles(); err != nil {
				f.logger.ErrorContext(ctx, "keeping the previous TLS files", slog.String("error", err.Error()))
			}
		}
	}
}

func (f *frontend) reloadFiles() error {
	next, err := readFiles(f.files)
	if err != nil {
		return err
	}
	if before := f.current.Load(); before != nil {
		if bytes.Equal(before.cert, next.cert) && bytes.Equal(before.key, next.key) && bytes.Equal(before.clientCA, next.clientCA) {
			return nil
		}
		f.logger.Info("TLS files changed")
	}
	pair, err := tls.X509KeyPair(next.cert, next.key)
	if err != nil {
		return fmt.Errorf("pairing --tls-cert %s with --tls-key %s: %w", f.files.Cert, f.files.Key, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(next.clientCA) {
		return fmt.Errorf("reading --client-ca %s: %w", f.files.ClientCA, errors.New("no certificate in it"))
	}
	pool.AddCert(f.trust)
	next.config = tlspolicy.Restrict(&tls.Config{
		NextProtos:   []string{"h2"},
		Certificates: []tls.Certificate{pair},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    pool,
		// A resumed session would skip the check against removed CAs.
		SessionTicketsDisabled: true,
	})
	f.current.Store(next)
	f.meters.Gauge(metricExpiry).Record(float64(pair.Leaf.NotAfter.Unix()), metrics.StringTag("certificate", "temporal"))
	return nil
}

func readFiles(files Files) (*loadedFiles, error) {
	var l loadedFiles
	for _, file := range []struct {
		flag, path string
		into       *[]byte
	}{{"--tls-cert", files.Cert, &l.cert}, {"--tls-key", files.Key, &l.key}, {"--client-ca", files.ClientCA, &l.clientCA}} {
		content, err := os.ReadFile(file.path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file.flag, err)
		}
		*file.into = content
	}
	return &l, nil
}
