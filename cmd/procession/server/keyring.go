package server

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
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

// Keyring contains the database and the keys that are sealed in it.
type Keyring struct {
	DB     *persistence.DB
	Sealer *authn.Sealer
	Keys   *authn.Keys
	Issuer *authn.Issuer
}

// OpenKeys opens the database, prepares its schema and creates missing keys. The caller closes the database.
func OpenKeys(ctx context.Context, c config.Config, log *slog.Logger) (*Keyring, error) {
	return openKeysWithin(ctx, c, 0, log)
}

// openKeysWithin waits at most timeout for the database, and opens its keys.
func openKeysWithin(ctx context.Context, c config.Config, timeout time.Duration, log *slog.Logger) (_ *Keyring, err error) {
	if err := errors.Join(c.RequireDatabase(), c.RequireSealKey()); err != nil {
		return nil, err
	}
	sealer, err := OpenSealer(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, path := range c.SealKeyFiles().Exposed() {
		log.WarnContext(ctx, "every user of the machine can read the seal key", slog.String("file", path))
	}
	db, err := OpenDatabase(ctx, c, sealer.KeyNames()...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if err := awaitDatabase(ctx, db, timeout, log); err != nil {
		return nil, err
	}
	if err := PrepareSchema(ctx, db, c.Migrate); err != nil {
		return nil, err
	}
	keys := authn.NewKeys(db, sealer, time.Now, authn.WithPublishDelay(c.KeyPublishDelay))
	if err := keys.EnsureKeys(ctx); err != nil {
		return nil, err
	}
	log.InfoContext(ctx, "keys loaded")
	issuer, err := authn.NewIssuer(keys, c.Issuer, c.CertificateLifetime)
	if err != nil {
		return nil, err
	}
	return &Keyring{DB: db, Sealer: sealer, Keys: keys, Issuer: issuer}, nil
}

// EngineCredentials returns the credentials of the service in Temporal. They follow the rotation of keys.
func EngineCredentials(issuer *authn.Issuer, c config.Config) (engine.Credentials, error) {
	roots := issuer.Roots
	if c.TemporalCAFile != "" {
		pem, err := os.ReadFile(c.TemporalCAFile)
		if err != nil {
			return engine.Credentials{}, fmt.Errorf("reading --temporal-ca-file: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return engine.Credentials{}, fmt.Errorf("reading --temporal-ca-file: %s contains no certificate", c.TemporalCAFile)
		}
		roots = func() *x509.CertPool { return pool }
	}
	tokens := &systemTokens{issuer: issuer}
	return engine.Credentials{
		Token: tokens.currentToken,
		// Handshakes are rare enough for a certificate each.
		Certificate: func() (*tls.Certificate, error) {
			certificate, err := issuer.SystemCertificate(time.Now())
			return &certificate, err
		},
		RootCAs: roots,
	}, nil
}

// tokenRenewal is the remaining lifetime at which the token of the service is renewed.
const tokenRenewal = 2 * time.Minute

// systemTokens caches the token of the service until shortly before its expiry or until the signing key
// changes.
type systemTokens struct {
	issuer *authn.Issuer

	mu      sync.Mutex
	current domain.EngineToken
	key     string
}

func (s *systemTokens) currentToken() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if key := s.issuer.TokenKeyID(now); key != s.key || !now.Before(s.current.NotAfter.Add(-tokenRenewal)) {
		fresh, err := s.issuer.SystemToken(now)
		if err != nil {
			return "", err
		}
		s.current, s.key = fresh, key
	}
	return s.current.Token.Reveal(), nil
}
