// Package tlspolicy contains the TLS versions and cipher suites of all listeners and clients of the service.
package tlspolicy

import "crypto/tls"

// New returns settings that allow TLS 1.3, and TLS 1.2 with forward secrecy and authenticated encryption (RFC 9325,
// section 4.2). Suites of CBC mode are refused.
func New() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	Restrict(config)
	return config
}

// Restrict applies the policy to settings; nil settings, of a connection in plain text, stay as they are.
func Restrict(config *tls.Config) {
	if config == nil {
		return
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	config.CipherSuites = []uint16{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	}
}
