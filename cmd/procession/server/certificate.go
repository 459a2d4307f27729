package server

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/procession-dev/procession/authn"
)

// FrontendCertificateLifetime is the lifetime of the certificates issued for Temporal's
// frontend and for the HTTPS listener of the local stack.
const FrontendCertificateLifetime = 397 * 24 * time.Hour

// CertificateFiles contains the paths of a certificate, its key and the trusted authorities, and the expiry of the
// certificate.
type CertificateFiles struct {
	Cert, Key, CA string
	ValidUntil    time.Time
}

// WriteCertificate issues a certificate for hosts and writes it with its chain, its key and all trusted
// authorities into dir. It replaces each file atomically, for programs that read them at the same time.
func WriteCertificate(issuer *authn.Issuer, dir string, hosts []string, now time.Time) (CertificateFiles, error) {
	files := CertificateFiles{
		Cert: filepath.Join(dir, "server.pem"), Key: filepath.Join(dir, "server-key.pem"), CA: filepath.Join(dir, "ca.pem"),
	}
	pair, err := issuer.ServerCertificate(hosts, now, FrontendCertificateLifetime)
	if err != nil {
		return files, err
	}
	made, err := pair.TLS()
	if err != nil {
		return files, err
	}
	files.ValidUntil = made.Leaf.NotAfter
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return files, fmt.Errorf("writing a server certificate: %w", err)
	}
	for path, content := range map[string]string{
		files.Cert: pair.CertificatePEM, files.Key: pair.PrivateKeyPEM.Reveal(), files.CA: issuer.RootsPEM(),
	} {
		if err := replaceFile(path, content); err != nil {
			return files, fmt.Errorf("writing a server certificate: %w", err)
		}
	}
	return files, nil
}

// RenewCertificate is WriteCertificate if the files in dir are missing, if less than a third of the lifetime of their certificate is left, if
// it is for other hosts, or if the trusted authorities have changed. Otherwise it returns no files.
func RenewCertificate(issuer *authn.Issuer, dir string, hosts []string, now time.Time) (CertificateFiles, error) {
	if isCurrent(issuer, dir, hosts, now) {
		return CertificateFiles{}, nil
	}
	return WriteCertificate(issuer, dir, hosts, now)
}

// isCurrent reports whether the files in dir need no renewal. Unreadable files need one.
func isCurrent(issuer *authn.Issuer, dir string, hosts []string, now time.Time) bool {
	roots, err := os.ReadFile(filepath.Join(dir, "ca.pem")) //nolint:gosec // the operator's own directory
	if err != nil || string(roots) != issuer.RootsPEM() {
		return false
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.pem"), filepath.Join(dir, "server-key.pem"))
	if err != nil {
		return false
	}
	for _, host := range hosts {
		if pair.Leaf.VerifyHostname(host) != nil {
			return false
		}
	}
	lifetime := pair.Leaf.NotAfter.Sub(pair.Leaf.NotBefore)
	return now.Before(pair.Leaf.NotAfter.Add(-lifetime / 3))
}

// replaceFile replaces a file by one that only its owner can read.
func replaceFile(path, content string) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
