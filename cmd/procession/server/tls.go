package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/procession-dev/procession/internal/tlspolicy"
)

// servedCertificate is the certificate of a listener. It reloads its files when they change and is safe for
// concurrent use.
type servedCertificate struct{ *reloader[*tls.Certificate] }

// loadCertificate reads a certificate and its key, both PEM files.
func loadCertificate(certificate, key string, log *slog.Logger) (*servedCertificate, error) {
	pair, err := newReloader("the certificate of the HTTPS listener", func() (*tls.Certificate, error) {
		return loadPair(certificate, key)
	}, log, certificate, key)
	if err != nil {
		return nil, fmt.Errorf("reading --tls-cert and --tls-key: %w", err)
	}
	return &servedCertificate{pair}, nil
}

// tlsConfig returns the TLS settings of a listener with this certificate.
func (s *servedCertificate) tlsConfig() *tls.Config {
	config := tlspolicy.New()
	config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.current(), nil }
	return config
}

// expiresAt returns when the certificate ends.
func (s *servedCertificate) expiresAt() time.Time { return s.current().Leaf.NotAfter }

// strictTransport adds the header Strict-Transport-Security with maxAge, unless that is 0, and with
// includeSubDomains if subdomains is set.
func strictTransport(maxAge time.Duration, subdomains bool, next http.Handler) http.Handler {
	if maxAge <= 0 {
		return next
	}
	value := fmt.Sprintf("max-age=%d", int64(maxAge.Seconds()))
	if subdomains {
		value += "; includeSubDomains"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", value)
		next.ServeHTTP(w, r)
	})
}
