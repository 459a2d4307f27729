package authn_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
)

func encodeRequest(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func newRequest(t *testing.T, key crypto.Signer, template x509.CertificateRequest) string {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &template, key)
	require.NoError(t, err)
	return encodeRequest(der)
}

// withKey replaces the public key of a request, which invalidates its signature.
func withKey(t *testing.T, request []byte, public crypto.PublicKey) string {
	t.Helper()
	var parts struct {
		Info struct {
			Version            int
			Subject, PublicKey asn1.RawValue
			Attributes         asn1.RawValue
		}
		Algorithm, Signature asn1.RawValue
	}
	_, err := asn1.Unmarshal(request, &parts)
	require.NoError(t, err)
	key, err := x509.MarshalPKIXPublicKey(public)
	require.NoError(t, err)
	parts.Info.PublicKey = asn1.RawValue{FullBytes: key}
	der, err := asn1.Marshal(parts)
	require.NoError(t, err)
	return encodeRequest(der)
}

func newECDSAKey(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	require.NoError(t, err)
	return key
}

func newRSAKey(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	require.NoError(t, err)
	return key
}

func TestParseCertificateRequestAcceptsKeys(t *testing.T) {
	t.Parallel()
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	for name, key := range map[string]crypto.Signer{
		"ECDSA P-256": newECDSAKey(t, elliptic.P256()), "ECDSA P-384": newECDSAKey(t, elliptic.P384()),
		"Ed25519": edwards, "RSA 2048": newRSAKey(t, 2048),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			public, err := authn.ParseCertificateRequest(newRequest(t, key, x509.CertificateRequest{}))
			require.NoError(t, err)
			require.Equal(t, key.Public(), public)
			i := newIssuance(t)
			issued, err := i.EngineCertificate(uuid.New(), "demo", public, i.clock.Now())
			require.NoError(t, err)
			certificate := parseCertificates(t, issued.ClientCertificate)[0]
			verifyClient(t, i, certificate)
			require.Equal(t, key.Public(), certificate.PublicKey)
		})
	}
}

func TestParseCertificateRequestRefuses(t *testing.T) {
	t.Parallel()
	key := newECDSAKey(t, elliptic.P256())
	good := newRequest(t, key, x509.CertificateRequest{})
	block, _ := pem.Decode([]byte(good))
	forged := append([]byte(nil), block.Bytes...)
	forged[len(forged)-1] ^= 1
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	huge := &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), 4103, 1), E: 65537}
	const notPEM, notRequest = "must be one PEM block of type CERTIFICATE REQUEST", "must be a certificate signing request (PKCS #10)"
	const notKey, notSigned = "must have a key of ECDSA on P-256 or P-384", "must be signed with the private key of its public key"
	for name, example := range map[string]struct{ request, failure string }{
		"empty text":          {"", notPEM},
		"text":                {"CN=worker", notPEM},
		"two requests":        {good + good, notPEM},
		"text after it":       {good + "more", notPEM},
		"a private key":       {string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})), notPEM},
		"headers":             {strings.Replace(good, "REQUEST-----\n", "REQUEST-----\nProc-Type: 4,ENCRYPTED\n\n", 1), notPEM},
		"an empty block":      {encodeRequest(nil), notRequest},
		"another structure":   {encodeRequest(secret), notRequest},
		"half of a request":   {encodeRequest(block.Bytes[:len(block.Bytes)/2]), notRequest},
		"bytes after it":      {encodeRequest(append(block.Bytes[:len(block.Bytes):len(block.Bytes)], 0)), notRequest},
		"a changed signature": {encodeRequest(forged), notSigned},
		"a key of another":    {withKey(t, block.Bytes, newECDSAKey(t, elliptic.P256()).Public()), notSigned},
		"ECDSA P-224":         {newRequest(t, newECDSAKey(t, elliptic.P224()), x509.CertificateRequest{}), notKey},
		"ECDSA P-521":         {newRequest(t, newECDSAKey(t, elliptic.P521()), x509.CertificateRequest{}), notKey},
		"RSA 1024":            {newRequest(t, newRSAKey(t, 1024), x509.CertificateRequest{}), notKey},
		"RSA 4104":            {withKey(t, block.Bytes, huge), notKey},
		"SHA-1": {
			newRequest(t, key, x509.CertificateRequest{SignatureAlgorithm: x509.ECDSAWithSHA1}),
			"must be signed with SHA-256, SHA-384, SHA-512 or Ed25519, not with ECDSA-SHA1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := authn.ParseCertificateRequest(example.request)
			require.ErrorContains(t, err, example.failure)
		})
	}
}

// A request that asks for another principal, an authority and other names gets none of these.
func TestEngineCertificateForRequestedKey(t *testing.T) {
	t.Parallel()
	i, principal, key := newIssuance(t), uuid.New(), newECDSAKey(t, elliptic.P256())
	now := i.clock.Now()
	public, err := authn.ParseCertificateRequest(newRequest(t, key, x509.CertificateRequest{
		Subject:  pkix.Name{Organization: []string{"Procession"}, OrganizationalUnit: []string{"temporal-system"}, CommonName: "system"},
		DNSNames: []string{"temporal"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, EmailAddresses: []string{"a@b.example"},
		URIs: []*url.URL{{Scheme: "spiffe", Host: "other"}},
		ExtraExtensions: []pkix.Extension{
			{Id: []int{2, 5, 29, 19}, Critical: true, Value: []byte{0x30, 0x03, 0x01, 0x01, 0xff}}, // CA:TRUE
			{Id: []int{2, 5, 29, 15}, Critical: true, Value: []byte{0x03, 0x02, 0x01, 0x06}},       // keyCertSign, cRLSign
		},
	}))
	require.NoError(t, err)
	issued, err := i.EngineCertificate(principal, "demo", public, now)
	require.NoError(t, err)
	require.Empty(t, issued.ClientPrivateKey.Reveal())
	require.Equal(t, now.Add(24*time.Hour).Truncate(time.Second), issued.NotAfter)

	certificate := parseCertificates(t, issued.ClientCertificate)[0]
	verifyClient(t, i, certificate)
	require.True(t, key.PublicKey.Equal(certificate.PublicKey))
	require.Equal(t, issued.Serial, certificate.SerialNumber.Text(16))
	require.Equal(t, "CN="+principal.String()+",OU=demo,O=Procession", certificate.Subject.String())
	require.Empty(t, certificate.DNSNames)
	require.Empty(t, certificate.IPAddresses)
	require.Empty(t, certificate.EmailAddresses)
	require.Empty(t, certificate.URIs)
	require.False(t, certificate.IsCA)
	require.Equal(t, x509.KeyUsageDigitalSignature, certificate.KeyUsage)
	require.Equal(t, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, certificate.ExtKeyUsage)

	operated, err := i.OperatorCertificate(principal, "demo", public, now, now.Add(time.Minute))
	require.NoError(t, err)
	require.Empty(t, operated.ClientPrivateKey.Reveal())
	require.Equal(t, now.Add(time.Minute).Truncate(time.Second), operated.NotAfter)
}
