package authn_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
)

// givenFiles is a folder of credentials that the owner of a cluster gave.
type givenFiles string

func (g givenFiles) write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(string(g), name), []byte(content), 0o600))
}

func (g givenFiles) cluster() authn.Cluster {
	return authn.Cluster{
		AuthorityFile:   filepath.Join(string(g), "ca.pem"),
		APIKeyFile:      filepath.Join(string(g), "{namespace}", "key"),
		CertificateFile: filepath.Join(string(g), "{application}.pem"), KeyFile: filepath.Join(string(g), "{application}-key.pem"),
	}
}

func TestGivenTokens(t *testing.T) {
	t.Parallel()
	i, files := newIssuance(t), givenFiles(t.TempDir())
	given, now := i.WithClusters(files.cluster(), nil), i.clock.Now()
	issue := func() (domain.EngineToken, error) {
		return given.EngineToken(authn.EngineAccess{ID: uuid.New(), Principal: uuid.New(), Namespace: "demo"}, now)
	}
	_, err := issue()
	require.True(t, domain.HasCode(err, domain.CodeConflict), err)
	require.NotContains(t, err.Error(), string(files), "callers must not learn paths")

	require.NoError(t, os.Mkdir(filepath.Join(string(files), "demo"), 0o700))
	for name, c := range map[string]struct {
		content string
		renewal time.Duration
	}{
		"opaque":               {"opaque-key\n", 10 * time.Minute},
		"JWT for a year":       {newAPIKey(t, now.AddDate(1, 0, 0)), 10 * time.Minute},
		"JWT for five minutes": {newAPIKey(t, now.Add(5*time.Minute)), 5 * time.Minute},
	} {
		files.write(t, "demo/key", c.content)
		token, err := issue()
		require.NoError(t, err, name)
		require.Equal(t, strings.TrimSpace(c.content), token.Token.Reveal(), name)
		require.WithinDuration(t, now.Add(c.renewal), token.ExpiredAt, time.Second, name)
	}
	for name, content := range map[string]string{"empty": "", "too large": strings.Repeat("k", 64<<10+1)} {
		files.write(t, "demo/key", content)
		_, err := issue()
		require.Error(t, err, name)
		require.False(t, domain.HasCode(err, domain.CodeConflict), name)
	}
}

func newAPIKey(t *testing.T, expiry time.Time) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, nil)
	require.NoError(t, err)
	key, err := jwt.Signed(signer).Claims(jwt.Claims{Expiry: jwt.NewNumericDate(expiry)}).Serialize()
	require.NoError(t, err)
	return key
}

func TestGivenCertificates(t *testing.T) {
	t.Parallel()
	i, files, principal := newIssuance(t), givenFiles(t.TempDir()), uuid.New()
	given, now := i.WithClusters(files.cluster(), nil), i.clock.Now()
	files.write(t, "ca.pem", "the authority")
	_, err := given.EngineCertificate(principal, "demo", nil, now)
	require.True(t, domain.HasCode(err, domain.CodeConflict), err)

	pair, err := i.ServerCertificate([]string{"worker.example"}, now, time.Hour)
	require.NoError(t, err)
	files.write(t, principal.String()+".pem", "comment\n"+pair.CertificatePEM+pair.PrivateKeyPEM.Reveal())
	files.write(t, principal.String()+"-key.pem", pair.PrivateKeyPEM.Reveal())
	issued, err := given.EngineCertificate(principal, "demo", nil, now)
	require.NoError(t, err)
	require.Equal(t, domain.EngineCertificate{
		Namespace: "demo", ServerRootCACertificate: "the authority",
		ClientCertificate: pair.CertificatePEM, ClientPrivateKey: pair.PrivateKeyPEM, NotAfter: now.Add(time.Hour).Truncate(time.Second),
	}, issued)

	other, err := i.ServerCertificate([]string{"worker.example"}, now, time.Hour)
	require.NoError(t, err)
	files.write(t, principal.String()+"-key.pem", other.PrivateKeyPEM.Reveal())
	_, err = given.EngineCertificate(principal, "demo", nil, now)
	require.ErrorContains(t, err, "private key does not match public key")
}

// Certificates of the service name the authority of the cluster. Without TLS they contain the namespace only, and
// without credentials nothing is issued.
func TestCertificatesForClusters(t *testing.T) {
	t.Parallel()
	i, files := newIssuance(t), givenFiles(t.TempDir())
	issue := func(c authn.Cluster) (domain.EngineCertificate, error) {
		return i.WithClusters(c, nil).EngineCertificate(uuid.New(), "demo", nil, i.clock.Now())
	}
	files.write(t, "ca.pem", "the authority")
	issued, err := issue(authn.Cluster{AuthorityFile: files.cluster().AuthorityFile})
	require.NoError(t, err)
	require.Equal(t, "the authority", issued.ServerRootCACertificate)
	require.NotEmpty(t, issued.ClientCertificate)

	issued, err = issue(authn.Cluster{Plaintext: true})
	require.NoError(t, err)
	issued.NotAfter = time.Time{}
	require.Equal(t, domain.EngineCertificate{Namespace: "demo"}, issued)

	_, err = issue(authn.Cluster{Withhold: true})
	require.True(t, domain.HasCode(err, domain.CodeConflict), err)
	_, err = i.WithClusters(authn.Cluster{Withhold: true}, nil).EngineToken(authn.EngineAccess{Namespace: "demo"}, i.clock.Now())
	require.True(t, domain.HasCode(err, domain.CodeConflict), err)
}
