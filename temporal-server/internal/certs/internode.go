package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"time"
)

// processName is the common name in the certificate of the process. Without an organizational unit it permits no namespace.
const processName = "temporal-server process"

const processDNSName = "process.temporal-server.internal"

// newProcessCertificate returns a self-signed certificate that is no CA: only this
// process, or the processes that share its file, can present it.
func newProcessCertificate(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("generating the process key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: processName},
		DNSNames:              []string{processDNSName},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.AddDate(20, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("signing the process certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("parsing the process certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}

// WriteShared generates the certificate and the key that the processes of a cluster share, and writes them to a new file.
func WriteShared(path string, now time.Time) error {
	made, err := newProcessCertificate(now)
	if err != nil {
		return err
	}
	key, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	if err != nil {
		return fmt.Errorf("encoding the key: %w", err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Leaf.Raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator's own file
	if err != nil {
		return fmt.Errorf("writing the certificate: %w", err)
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// readShared reads a file that WriteShared wrote.
func readShared(path string) (tls.Certificate, error) {
	shared, err := tls.LoadX509KeyPair(path, path)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("reading --internal-certificate: %w", err)
	}
	if err := shared.Leaf.VerifyHostname(processDNSName); err != nil {
		return tls.Certificate{}, fmt.Errorf("reading --internal-certificate: %w; make it with temporal-server certificate", err)
	}
	return shared, nil
}

// internodeConfig returns the settings of both ends of a connection between two services of this process or of its cluster.
func internodeConfig(process tls.Certificate) *tls.Config {
	self := x509.NewCertPool()
	self.AddCert(process.Leaf)
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		NextProtos:   []string{"h2"},
		Certificates: []tls.Certificate{process},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    self,
		RootCAs:      self,
		ServerName:   processDNSName,
	}
}
