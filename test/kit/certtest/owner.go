// Package certtest makes certificates of an authority that the service does not know.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Owner is the authority of a cluster's owner, with a folder of the files that it gives. ca.pem is its certificate.
type Owner struct {
	t         *testing.T
	dir       string
	key       *ecdsa.PrivateKey
	authority *x509.Certificate
}

// New returns an Owner with a key of its own.
func New(t *testing.T) *Owner {
	t.Helper()
	o := &Owner{t: t, dir: t.TempDir()}
	o.authority, o.key = o.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "cluster"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	o.WritePEM("ca.pem", "CERTIFICATE", o.authority.Raw)
	return o
}

// Pool returns the authority as the only one that a peer trusts.
func (o *Owner) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(o.authority)
	return pool
}

// File returns the path of a file in the folder.
func (o *Owner) File(name string) string { return filepath.Join(o.dir, name) }

// WritePEM writes a file with one block.
func (o *Owner) WritePEM(name, kind string, der []byte) {
	o.t.Helper()
	content := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	require.NoError(o.t, os.WriteFile(o.File(name), content, 0o600))
}

// Issue returns a certificate of a client or a server with the name, which is also valid for this machine, and its key. It writes them to
// NAME.pem and NAME-key.pem (PKCS #8).
func (o *Owner) Issue(name string) (*tls.Certificate, *ecdsa.PrivateKey) {
	o.t.Helper()
	certificate, key := o.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name, "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(o.t, err)
	o.WritePEM(name+".pem", "CERTIFICATE", certificate.Raw)
	o.WritePEM(name+"-key.pem", "PRIVATE KEY", der)
	return &tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key, Leaf: certificate}, key
}

// sign completes and signs a certificate, the first one with its own key.
func (o *Owner) sign(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	o.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(o.t, err)
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	parent, signer := o.authority, o.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(o.t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(o.t, err)
	return certificate, key
}
