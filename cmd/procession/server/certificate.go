package server

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/procession-dev/procession/authn"
)

// CertificateLifetime is the lifetime of the certificates issued for Temporal's
// frontend and for the HTTPS listener of the local stack.
const CertificateLifetime = 397 * 24 * time.Hour

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
	pair, err := issuer.ServerCertificate(hosts, now, CertificateLifetime)
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

// replaceFile replaces a file by one that only its owner can read.
func replaceFile(path, content string) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
