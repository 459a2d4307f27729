package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

// keyring is the database with the keys that are sealed in it.
type keyring struct {
	db     *persistence.DB
	sealer *authn.Sealer
	keys   *authn.Keys
	issuer *authn.Issuer
}

// openKeys opens the database, prepares its schema and makes the keys that are
// missing. The caller closes the database.
func openKeys(ctx context.Context, c Config, log *slog.Logger) (_ *keyring, err error) {
	if err := errors.Join(c.requireDatabase(), c.requireSealKey()); err != nil {
		return nil, err
	}
	sealKey, err := authn.LoadSealKey(c.SealKeyFile)
	if err != nil {
		return nil, err
	}
	sealer, err := authn.NewSealer(sealKey)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if err := prepareSchema(ctx, db, c.Migrate); err != nil {
		return nil, err
	}
	keys := authn.NewKeys(db, sealer, time.Now)
	if err := keys.EnsureKeys(ctx); err != nil {
		return nil, err
	}
	log.InfoContext(ctx, "keys loaded")
	issuer, err := authn.NewIssuer(keys, c.Issuer, c.CertificateLifetime)
	if err != nil {
		return nil, err
	}
	return &keyring{db: db, sealer: sealer, keys: keys, issuer: issuer}, nil
}

// engineCredentials are those of the service itself.
func engineCredentials(issuer *authn.Issuer, c Config) (engine.Credentials, error) {
	roots := issuer.Roots()
	if c.TemporalCAFile != "" {
		pem, err := os.ReadFile(c.TemporalCAFile)
		if err != nil {
			return engine.Credentials{}, fmt.Errorf("reading Temporal's authority: %w", err)
		}
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return engine.Credentials{}, fmt.Errorf("reading Temporal's authority: %s holds no certificate", c.TemporalCAFile)
		}
	}
	tokens := &renewed[string]{ahead: 2 * time.Minute, issue: func(now time.Time) (string, time.Time, error) {
		token, err := issuer.SystemToken(now)
		return token.Token.Reveal(), token.ExpiredAt, err
	}}
	certificates := &renewed[tls.Certificate]{ahead: time.Hour, issue: func(now time.Time) (tls.Certificate, time.Time, error) {
		certificate, err := issuer.SystemCertificate(now)
		if err != nil {
			return certificate, time.Time{}, err
		}
		return certificate, certificate.Leaf.NotAfter, nil
	}}
	return engine.Credentials{
		Token: tokens.get,
		Certificate: func() (*tls.Certificate, error) {
			certificate, err := certificates.get()
			return &certificate, err
		},
		RootCAs: roots,
	}, nil
}

// renewed keeps something that expires and issues it anew a while before.
type renewed[T any] struct {
	ahead time.Duration
	issue func(now time.Time) (T, time.Time, error)

	mu      sync.Mutex
	current T
	expires time.Time
}

func (r *renewed[T]) get() (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Before(r.expires.Add(-r.ahead)) {
		return r.current, nil
	}
	fresh, expires, err := r.issue(now)
	if err != nil {
		return fresh, err
	}
	r.current, r.expires = fresh, expires
	return fresh, nil
}
