package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"
)

// processName is what the process's own certificate says of its holder. It has no organizational unit, so it opens no namespace.
const processName = "temporal-server process"

const processDNSName = "process.temporal-server.internal"

// newProcessCertificate makes a certificate whose key exists in this process only. It signs nothing else: a peer that
// presents it is this process.
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

// internodeConfig serves both ends of a connection between two services of this process.
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
