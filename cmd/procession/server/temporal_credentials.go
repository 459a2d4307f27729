package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/cloud"
)

// EngineCredentials returns the credentials of the service in a cluster. They follow the rotation of keys and the
// replacement of files.
func EngineCredentials(issuer *authn.Issuer, c config.TemporalCluster, log *slog.Logger) (engine.Credentials, error) {
	if c.Plaintext {
		return engine.Credentials{Plaintext: true}, nil
	}
	found := engine.Credentials{ServerName: c.TLSServerName}
	kind := c.Credentials()
	if kind == config.TemporalOwn {
		tokens := &systemTokens{issuer: issuer}
		found.Token, found.RootCAs = tokens.currentToken, issuer.Roots
	}
	if kind == config.TemporalOwn || kind == config.TemporalCertificate {
		// Handshakes are rare enough for a certificate each.
		found.Certificate = func() (*tls.Certificate, error) {
			certificate, err := issuer.SystemCertificate(time.Now())
			return &certificate, err
		}
	}
	if file := c.TLSCA; file != "" {
		roots, err := newReloader("the authority of Temporal", func() (*x509.CertPool, error) { return readAuthorities(file) }, log, file)
		if err != nil {
			return engine.Credentials{}, fmt.Errorf("reading the authorities of Temporal's certificate: %w", err)
		}
		found.RootCAs = roots.current
	}
	if c.TLSCert != "" {
		pair, err := newReloader("the certificate for Temporal", func() (*tls.Certificate, error) {
			return loadPair(c.TLSCert, c.TLSKey)
		}, log, c.TLSCert, c.TLSKey)
		if err != nil {
			return engine.Credentials{}, fmt.Errorf("reading the certificate for Temporal: %w", err)
		}
		found.Certificate = func() (*tls.Certificate, error) { return pair.current(), nil }
	}
	if file := c.APIKeyFile; file != "" {
		key, err := newReloader("the API key of Temporal", func() (string, error) { return readAPIKey(file) }, log, file)
		if err != nil {
			return engine.Credentials{}, fmt.Errorf("reading the API key of Temporal: %w", err)
		}
		found.Token = func() (string, error) { return key.current(), nil }
	}
	return found, nil
}

// newCloudAccounts returns the accounts in Temporal Cloud by the names of clusters. The caller closes them.
func newCloudAccounts(c config.Config, log *slog.Logger) (map[string]*cloud.Account, error) {
	accounts := map[string]*cloud.Account{}
	for _, cluster := range c.Clusters() {
		if !cluster.InCloud() {
			continue
		}
		account, err := newCloudAccount(cluster, c.TemporalRetention, log)
		if err != nil {
			closeAccounts(accounts)
			return nil, err
		}
		accounts[cluster.Name] = account
	}
	return accounts, nil
}

func closeAccounts(accounts map[string]*cloud.Account) {
	for _, account := range accounts {
		account.Close()
	}
}

func newCloudAccount(c config.TemporalCluster, retention time.Duration, log *slog.Logger) (*cloud.Account, error) {
	o := c.CloudOptions(retention)
	key, err := newReloader("the API key of Temporal Cloud", func() (string, error) { return readAPIKey(c.Cloud.APIKeyFile) }, log, c.Cloud.APIKeyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the API key of Temporal Cloud: %w", err)
	}
	o.Credentials.Token = func() (string, error) { return key.current(), nil }
	if file := c.Cloud.TLSCA; file != "" {
		roots, err := newReloader("the authority of Temporal Cloud", func() (*x509.CertPool, error) { return readAuthorities(file) }, log, file)
		if err != nil {
			return nil, fmt.Errorf("reading the authorities of Temporal Cloud: %w", err)
		}
		o.Credentials.RootCAs = roots.current
	}
	return cloud.NewAccount(o)
}

func readAuthorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file) //nolint:gosec // the operator names it
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s contains no certificate", file)
	}
	return pool, nil
}

func loadPair(certificate, key string) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	return &pair, err
}

// readAPIKey returns the text of the file without white space around it.
func readAPIKey(file string) (string, error) {
	content, err := os.ReadFile(file) //nolint:gosec // the operator names it
	if err != nil {
		return "", err
	}
	return authn.ParseAPIKey(content)
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
