package authn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	pemCertificateRequest = "CERTIFICATE REQUEST"
	// maxRSABits bounds the time that verifying a request takes.
	maxRSABits = 4096
)

// ParseCertificateRequest returns the public key of a certificate signing request (PKCS #10, RFC 2986) in PEM. The
// request must be signed with the private key. The key is ECDSA on P-256 or P-384, Ed25519, or RSA of 2048 to 4096
// bits. The subject and all extensions of the request are ignored. Errors complete a sentence that begins with the
// name of the request.
func ParseCertificateRequest(text string) (crypto.PublicKey, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != pemCertificateRequest || len(block.Headers) > 0 || strings.TrimSpace(string(rest)) != "" {
		return nil, errors.New("must be one PEM block of type " + pemCertificateRequest)
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, errors.New("must be a certificate signing request (PKCS #10)")
	}
	// The key comes first: verifying a signature by a huge key is slow.
	if err := checkKey(request.PublicKey); err != nil {
		return nil, err
	}
	if !slices.Contains(requestSignatures(), request.SignatureAlgorithm) {
		return nil, fmt.Errorf("must be signed with SHA-256, SHA-384, SHA-512 or Ed25519, not with %s", request.SignatureAlgorithm)
	}
	if err := request.CheckSignature(); err != nil {
		return nil, errors.New("must be signed with the private key of its public key")
	}
	return request.PublicKey, nil
}

func checkKey(public any) error {
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() || key.Curve == elliptic.P384() {
			return nil
		}
	case ed25519.PublicKey:
		return nil
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits >= minRSABits && bits <= maxRSABits {
			return nil
		}
	}
	return fmt.Errorf("must have a key of ECDSA on P-256 or P-384, of Ed25519, or of RSA with %d to %d bits", minRSABits, maxRSABits)
}

func requestSignatures() []x509.SignatureAlgorithm {
	return []x509.SignatureAlgorithm{
		x509.ECDSAWithSHA256, x509.ECDSAWithSHA384, x509.ECDSAWithSHA512, x509.PureEd25519,
		x509.SHA256WithRSA, x509.SHA384WithRSA, x509.SHA512WithRSA,
		x509.SHA256WithRSAPSS, x509.SHA384WithRSAPSS, x509.SHA512WithRSAPSS,
	}
}
