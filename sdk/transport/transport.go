// Package transport protects connections to the service: the address that credentials may be sent to, TLS settings, and
// keys of client certificates.
package transport

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// ErrExposed is the reason why CheckEndpoint refuses http to another machine.
var ErrExposed = errors.New("http shows the credentials to the network")

// CheckEndpoint checks the address of the service. It must be an https address without a password, or an http address
// on the loopback. With exposed it may be any http address: the network then reads the credentials and everything else.
// Errors complete a sentence that begins with the name of the address.
func CheckEndpoint(address string, exposed bool) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("must be an http or https address such as https://procession.example")
	case u.User != nil:
		return errors.New("must not contain a password")
	case u.Scheme == "http" && !exposed && !isLoopback(u.Hostname()):
		return fmt.Errorf("must begin with https://: %w on the way to %s", ErrExposed, u.Host)
	}
	return nil
}

// IsLoopback reports whether the host of host:port is localhost or a loopback address.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && isLoopback(host)
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// NewTLS returns settings that allow TLS 1.3, and TLS 1.2 with forward secrecy and authenticated encryption. Suites of
// CBC mode are refused.
func NewTLS(roots *x509.CertPool) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: roots,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
	}
}

// Key is the private key of a client certificate, and a certificate signing request (PKCS #10) for it. Both are PEM. The
// private key (PKCS #8) does not leave the program.
type Key struct {
	Private []byte
	Request string
}

// NewKey makes a key (ECDSA P-256). The service chooses the subject of the certificate, so the request has none.
func NewKey() (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("making a key: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return Key{}, fmt.Errorf("encoding a key: %w", err)
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, private)
	if err != nil {
		return Key{}, fmt.Errorf("making a certificate signing request: %w", err)
	}
	return Key{
		Private: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
		Request: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request})),
	}, nil
}
