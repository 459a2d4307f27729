package authn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	organization = "Procession"
	// rootName is the prefix of the names of authorities. The beginning of the key's
	// id follows, because verifiers look up an issuer by its name.
	rootName  = "Procession CA "
	rootYears = 10
	// backdate is how far the clock of a verifier may be behind.
	backdate = 5 * time.Minute
)

// KeyPair is a certificate and its private key (PKCS#8), in PEM.
type KeyPair struct {
	CertificatePEM string
	PrivateKeyPEM  domain.Secret
}

// TLS returns the pair in the form that crypto/tls takes.
func (p KeyPair) TLS() (tls.Certificate, error) {
	certificate, err := tls.X509KeyPair([]byte(p.CertificatePEM), []byte(p.PrivateKeyPEM.Reveal()))
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("reading a key pair: %w", err)
	}
	return certificate, nil
}

// EngineCertificate issues the certificate with which the principal's workers
// connect to the engine, for the one namespace. It certifies public, a key of
// ParseCertificateRequest, for at most RequestedCertificateLifetime. With a nil public
// it makes a key pair, and the private key is returned but not stored. In a Cluster with given certificates it returns the
// principal's with its private key, whatever the public key, and without a serial; CONFLICT means that there is none.
func (i *Issuer) EngineCertificate(
	principal uuid.UUID, namespace string, public crypto.PublicKey, now time.Time,
) (domain.EngineCertificate, error) {
	if !isTenantNamespace(namespace) {
		return domain.EngineCertificate{}, fmt.Errorf("issuing an engine certificate: %w", errNamespace)
	}
	if err := i.cluster.checkIssued(); err != nil {
		return domain.EngineCertificate{}, err
	}
	if i.cluster.Plaintext {
		return domain.EngineCertificate{Namespace: namespace, NotAfter: now.Add(i.certificateLifetime)}, nil
	}
	if i.cluster.CertificateFile != "" {
		return i.givenCertificate(principal, namespace)
	}
	lifetime := i.certificateLifetime
	if public != nil {
		lifetime = min(lifetime, RequestedCertificateLifetime)
	}
	return i.clientCertificate(principal, namespace, public, now, lifetime)
}

// OperatorCertificate issues the certificate with which an operator connects to the
// engine until the expiry, which is at most MaxOperatorAccess from now. By itself it
// grants almost no access: the token determines the readable data. As in
// EngineCertificate, public is a key of ParseCertificateRequest or nil.
func (i *Issuer) OperatorCertificate(
	operator uuid.UUID, namespace string, public crypto.PublicKey, now, expiry time.Time,
) (domain.EngineCertificate, error) {
	if err := checkOperatorAccess(namespace, now, expiry); err != nil {
		return domain.EngineCertificate{}, fmt.Errorf("issuing an operator's certificate: %w", err)
	}
	return i.clientCertificate(operator, namespace, public, now, expiry.Sub(now))
}

func (i *Issuer) clientCertificate(
	principal uuid.UUID, namespace string, public crypto.PublicKey, now time.Time, lifetime time.Duration,
) (domain.EngineCertificate, error) {
	authorities, err := i.authorities()
	if err != nil {
		return domain.EngineCertificate{}, err
	}
	template := clientTemplate(namespace, principal.String())
	var pair KeyPair
	if public == nil {
		pair, err = i.issueCertificate(&template, now, lifetime)
	} else {
		pair.CertificatePEM, err = i.certify(&template, public, now, lifetime)
	}
	if err != nil {
		return domain.EngineCertificate{}, fmt.Errorf("issuing an engine certificate: %w", err)
	}
	return domain.EngineCertificate{
		Namespace: namespace, ServerRootCACertificate: authorities,
		ClientCertificate: pair.CertificatePEM, ClientPrivateKey: pair.PrivateKeyPEM,
		Serial: template.SerialNumber.Text(16), NotAfter: template.NotAfter.UTC().Truncate(time.Second),
	}, nil
}

// SystemCertificate issues the certificate with which the service itself
// connects to the engine. It is valid for as long as an engine client's.
func (i *Issuer) SystemCertificate(now time.Time) (tls.Certificate, error) {
	template := clientTemplate(systemNamespace, systemSubject)
	pair, err := i.issueCertificate(&template, now, i.certificateLifetime)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("issuing the system certificate: %w", err)
	}
	return pair.TLS()
}

// ServerCertificate issues a certificate for a server with the given names and IP
// addresses.
func (i *Issuer) ServerCertificate(hosts []string, now time.Time, lifetime time.Duration) (KeyPair, error) {
	if len(hosts) == 0 {
		return KeyPair{}, errors.New("issuing a server certificate: hosts must not be empty")
	}
	template := x509.Certificate{
		Subject:     pkix.Name{Organization: []string{organization}, CommonName: hosts[0]},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	pair, err := i.issueCertificate(&template, now, lifetime)
	if err != nil {
		return KeyPair{}, fmt.Errorf("issuing a server certificate: %w", err)
	}
	return pair, nil
}

func clientTemplate(namespace, name string) x509.Certificate {
	return x509.Certificate{
		Subject: pkix.Name{
			Organization: []string{organization}, OrganizationalUnit: []string{namespace}, CommonName: name,
		},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
}

// issueCertificate creates a key pair and signs a certificate for it.
func (i *Issuer) issueCertificate(template *x509.Certificate, now time.Time, lifetime time.Duration) (KeyPair, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return KeyPair{}, fmt.Errorf("making a key pair: %w", err)
	}
	certificate, err := i.certify(template, private.Public(), now, lifetime)
	if err != nil {
		return KeyPair{}, err
	}
	secret, err := encodePrivateKey(private)
	if err != nil {
		return KeyPair{}, err
	}
	return KeyPair{CertificatePEM: certificate, PrivateKeyPEM: secret}, nil
}

// encodePrivateKey returns a private key in PEM (PKCS #8).
func encodePrivateKey(private crypto.PrivateKey) (domain.Secret, error) {
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return domain.Secret{}, fmt.Errorf("encoding a private key: %w", err)
	}
	return domain.NewSecret(encodePEM("PRIVATE KEY", secret)), nil
}

// certify completes the template and returns the certificate of a public key in PEM. The
// certificate is valid no longer than the authority's own, and is followed by the
// certificates that lead back to the oldest authority that a verifier may trust.
func (i *Issuer) certify(
	template *x509.Certificate, public crypto.PublicKey, now time.Time, lifetime time.Duration,
) (string, error) {
	issuer, found := selectSigningKey(i.keys.set.Load().authorities, now)
	if !found {
		return "", errNoSigningKey
	}
	var err error
	if template.SerialNumber, err = newSerial(); err != nil {
		return "", err
	}
	template.NotBefore, template.NotAfter = now.Add(-backdate), now.Add(lifetime)
	if template.NotAfter.After(issuer.certificate.NotAfter) {
		template.NotAfter = issuer.certificate.NotAfter
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.BasicConstraintsValid = true
	der, err := x509.CreateCertificate(rand.Reader, template, issuer.certificate, public, issuer.private)
	if err != nil {
		return "", fmt.Errorf("signing a certificate: %w", err)
	}
	return encodePEM("CERTIFICATE", der) + issuer.chain, nil
}

// newSerial returns a serial number of 128 random bits (RFC 5280, section
// 4.1.2.2).
func newSerial() (*big.Int, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 128))
	if err != nil {
		return nil, fmt.Errorf("making a serial number: %w", err)
	}
	return serial.Add(serial, big.NewInt(1)), nil
}
