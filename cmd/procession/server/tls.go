package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/procession-dev/procession/internal/tlspolicy"
)

// certificateCheck is the minimum interval between checks of the files of a certificate.
const certificateCheck = time.Second

// servedCertificate is the certificate of a listener. It reloads its files when they change and is safe for
// concurrent use.
type servedCertificate struct {
	files [2]string // certificate and key
	log   *slog.Logger

	mu      sync.Mutex
	checked time.Time
	seen    [2]fileState
	current *tls.Certificate
	// failure is the error of the last reload, which is logged once.
	failure string
}

// fileState contains properties of a file that change when it is replaced.
type fileState struct {
	modified time.Time
	size     int64
}

// loadCertificate reads a certificate and its key, both PEM files.
func loadCertificate(certificate, key string, log *slog.Logger) (*servedCertificate, error) {
	s := &servedCertificate{files: [2]string{certificate, key}, log: log}
	if err := s.reload(); err != nil {
		return nil, fmt.Errorf("reading --tls-cert and --tls-key: %w", err)
	}
	return s, nil
}

// tlsConfig returns the TLS settings of a listener with this certificate.
func (s *servedCertificate) tlsConfig() *tls.Config {
	config := tlspolicy.New()
	config.GetCertificate = s.currentCertificate
	return config
}

// currentCertificate returns the current certificate. While the files do not match, because only one has been replaced, it
// returns the previous one.
func (s *servedCertificate) currentCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.checked) >= certificateCheck {
		s.checked = now
		s.logFailure(s.reload())
	}
	return s.current, nil
}

// expiresAt returns when the certificate ends.
func (s *servedCertificate) expiresAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.Leaf.NotAfter
}

func (s *servedCertificate) logFailure(err error) {
	failure := ""
	if err != nil {
		failure = err.Error()
	}
	if failure != "" && failure != s.failure {
		s.log.Warn("the certificate of the HTTPS listener was not reloaded", slog.String("error", failure))
	}
	s.failure = failure
}

// reload reads the files if they have changed.
func (s *servedCertificate) reload() error {
	var states [2]fileState
	for i, file := range s.files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		states[i] = fileState{modified: info.ModTime(), size: info.Size()}
	}
	if states == s.seen {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(s.files[0], s.files[1])
	if err != nil {
		return err
	}
	if s.current != nil {
		s.log.Info("the certificate of the HTTPS listener was reloaded", slog.Time("expires", pair.Leaf.NotAfter))
	}
	s.current, s.seen = &pair, states
	return nil
}

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
