package authn

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/persistence"
)

// newRoot creates the self-signed certificate of an authority and, if there is a
// previous one, the cross certificate that the previous one issues for it; both
// in PEM. The path length is not limited: it grows by one with each rotation, and
// no other certificate may issue any.
func newRoot(private *ecdsa.PrivateKey, id string, before *authority, now time.Time) (root, cross string, err error) {
	template := x509.Certificate{
		Subject:   pkix.Name{Organization: []string{organization}, CommonName: rootName + id[:minKeyID]},
		NotBefore: now.Add(-backdate),
		NotAfter:  now.AddDate(rootYears, 0, 0),
		KeyUsage:  x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		IsCA:      true, BasicConstraintsValid: true,
	}
	if root, err = signCertificate(template, &template, private.Public(), private); err != nil {
		return "", "", err
	}
	if before == nil || before.certificate.MaxPathLenZero {
		return root, "", nil
	}
	if template.NotAfter.After(before.certificate.NotAfter) {
		template.NotAfter = before.certificate.NotAfter
	}
	cross, err = signCertificate(template, before.certificate, private.Public(), before.private)
	return root, cross, err
}

// signCertificate signs a certificate of an authority, with a serial number of its own.
func signCertificate(template x509.Certificate, parent *x509.Certificate, public any, private *ecdsa.PrivateKey) (string, error) {
	var err error
	if template.SerialNumber, err = newSerial(); err != nil {
		return "", err
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, public, private)
	if err != nil {
		return "", fmt.Errorf("signing the certificate of an authority: %w", err)
	}
	return encodePEM("CERTIFICATE", der), nil
}

// openAuthority reads a stored authority, to certify another one.
func openAuthority(key persistence.SigningKey, sealer *Sealer) (*authority, error) {
	private, err := openPrivateKey(key, sealer)
	if err != nil {
		return nil, fmt.Errorf("opening signing key %s: %w", key.ID, err)
	}
	certificate, err := parseCertificate(key.Public)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of signing key %s: %w", key.ID, err)
	}
	return &authority{id: key.ID, certificate: certificate, pem: key.Public, private: private}, nil
}

// TrustedAuthority is an authority that verifiers of the service's certificates trust.
type TrustedAuthority struct {
	ID          string
	Certificate *x509.Certificate
}

// Authorities returns the trusted authorities, the oldest first.
func (i *Issuer) Authorities() []TrustedAuthority {
	var trusted []TrustedAuthority
	for _, a := range slices.Backward(i.keys.set.Load().authorities) {
		trusted = append(trusted, TrustedAuthority{ID: a.id, Certificate: a.certificate})
	}
	return trusted
}

// IsAuthority reports whether a certificate is one of an authority of this program, of any installation.
func IsAuthority(c *x509.Certificate) bool {
	return slices.Equal(c.Subject.Organization, []string{organization}) && strings.HasPrefix(c.Subject.CommonName, rootName)
}
