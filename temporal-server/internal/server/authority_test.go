package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v4"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// authority is a certificate authority.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{cert: cert, key: key}
}

// client issues a client certificate of units to the subject of claims, or of systemClaims for the system's namespace.
func (a *authority) client(t *testing.T, units ...string) tls.Certificate {
	t.Helper()
	subject := "robot-1"
	if slices.Contains(units, "temporal-system") {
		subject = "procession"
	}
	return a.clientOf(t, subject, units...)
}

func (a *authority) clientOf(t *testing.T, subject string, units ...string) tls.Certificate {
	t.Helper()
	return a.issue(t, &x509.Certificate{
		Subject:     pkix.Name{Organization: []string{"Procession"}, OrganizationalUnit: units, CommonName: subject},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// server issues a certificate for 127.0.0.1.
// serverName is the name in the certificate of every frontend.
const serverName = "127.0.0.1"

func (a *authority) server(t *testing.T) tls.Certificate {
	t.Helper()
	return a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "temporal"}, IPAddresses: []net.IP{net.ParseIP(serverName)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

func (a *authority) issue(t *testing.T, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key := newKey(t)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// writePair writes a certificate and its key to dir.
func writePair(t *testing.T, dir string, pair tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key")
	replaceFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	replaceFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}))
	return cert, key
}

func replaceFile(t *testing.T, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", content, 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

// issuer signs tokens and publishes its key.
type issuer struct {
	up   atomic.Bool // whether the key set is published
	http *httptest.Server

	mu      sync.Mutex
	kid     string
	key     *ecdsa.PrivateKey
	revoked revocationList
}

// revocationList is the service's list of revocations.
type revocationList struct {
	GeneratedAt  time.Time `json:"generatedAt"`
	Tokens       []string  `json:"tokens"`
	Certificates []string  `json:"certificates"`
}

func (i *issuer) revocations() revocationList {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := i.revoked
	list.GeneratedAt = time.Now()
	return list
}

func (i *issuer) revoke(tokens, certificates []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.revoked = revocationList{Tokens: tokens, Certificates: certificates}
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{kid: "k1", key: newKey(t)}
	i.up.Store(true)
	i.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !i.up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"keys":[]}`))
			return
		}
		if r.URL.Path == "/engine-revocations.json" {
			_ = json.NewEncoder(w).Encode(i.revocations())
			return
		}
		kid, key := i.current()
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: kid, Key: key.Public(), Algorithm: "ES256", Use: "sig"}}})
	}))
	t.Cleanup(i.http.Close)
	return i
}

// current returns the key that signs now.
func (i *issuer) current() (string, *ecdsa.PrivateKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.kid, i.key
}

// rotate replaces the key.
func (i *issuer) rotate(t *testing.T, kid string) {
	t.Helper()
	key := newKey(t)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kid, i.key = kid, key
}

// claims returns the claims of a good token for namespace and queues.
func claims(namespace string, queues ...string) jwt.MapClaims {
	now := time.Now()
	return jwt.MapClaims{
		"iss": "procession", "aud": []string{"temporal"}, "sub": "robot-1", "jti": uuid.NewString(),
		"iat": now.Add(-time.Second).Unix(), "nbf": now.Add(-time.Second).Unix(), "exp": now.Add(time.Hour).Unix(),
		"permissions": []string{namespace + ":write"}, "task_queues": queues,
	}
}

// operatorClaims returns the claims of a good token of an operator who reads namespace.
func operatorClaims(namespace string) jwt.MapClaims {
	c := claims(namespace)
	c["sub"], c["permissions"], c["read_only"] = "operator-1", []string{namespace + ":read"}, true
	delete(c, "task_queues")
	return c
}

// systemClaims returns the claims of the service's own token.
func systemClaims() jwt.MapClaims {
	c := claims("x")
	c["sub"] = "procession"
	c["permissions"] = []string{"temporal-system:admin"}
	delete(c, "task_queues")
	return c
}

// withClaim returns a copy of c with one claim changed; nil removes it.
func withClaim(c jwt.MapClaims, name string, value any) jwt.MapClaims {
	changed := jwt.MapClaims{}
	for k, v := range c {
		changed[k] = v
	}
	changed[name] = value
	if value == nil {
		delete(changed, name)
	}
	return changed
}

func (i *issuer) sign(t *testing.T, c jwt.MapClaims) string {
	t.Helper()
	kid, key := i.current()
	return sign(t, jwt.SigningMethodES256, kid, key, c)
}

func sign(t *testing.T, method jwt.SigningMethod, kid string, key any, c jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, c)
	if kid != "" {
		token.Header["kid"] = kid
	}
	signed, err := token.SignedString(key)
	require.NoError(t, err)
	return signed
}
