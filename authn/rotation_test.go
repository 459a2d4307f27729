package authn_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/persistence"
)

// verification checks chains with Go and with the openssl program.
type verification struct {
	t       *testing.T
	roots   string // PEM
	purpose x509.ExtKeyUsage
	at      time.Time
}

func asClient(t *testing.T, roots string, at time.Time) verification {
	t.Helper()
	return verification{t: t, roots: roots, purpose: x509.ExtKeyUsageClientAuth, at: at}
}

func asServer(t *testing.T, roots string, at time.Time) verification {
	t.Helper()
	return verification{t: t, roots: roots, purpose: x509.ExtKeyUsageServerAuth, at: at}
}

// byGo verifies a chain in PEM, the leaf first.
func (v verification) byGo(chain string) error {
	certificates := parseCertificates(v.t, chain)
	options := x509.VerifyOptions{
		Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(), CurrentTime: v.at, KeyUsages: []x509.ExtKeyUsage{v.purpose},
	}
	require.True(v.t, options.Roots.AppendCertsFromPEM([]byte(v.roots)))
	for _, certificate := range certificates[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := certificates[0].Verify(options)
	return err
}

// byOpenSSL verifies leaves with a common rest of the chain.
func (v verification) byOpenSSL(leaves []string, following string) error {
	v.t.Helper()
	dir := v.t.TempDir()
	write := func(name, content string) string {
		require.NoError(v.t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		return name
	}
	purpose := map[x509.ExtKeyUsage]string{x509.ExtKeyUsageClientAuth: "sslclient", x509.ExtKeyUsageServerAuth: "sslserver"}
	args := []string{
		"verify", "-purpose", purpose[v.purpose], "-attime", strconv.FormatInt(v.at.Unix(), 10),
		"-no-CApath", "-no-CAstore", "-CAfile", write("roots", v.roots),
	}
	if following != "" {
		args = append(args, "-untrusted", write("following", following))
	}
	for i, leaf := range leaves {
		args = append(args, write("c"+strconv.Itoa(i), leaf))
	}
	cmd := exec.CommandContext(v.t.Context(), "openssl", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("openssl: %w\n%s", err, out[:min(len(out), 2000)])
	}
	if verified := bytes.Count(out, []byte(": OK\n")); verified != len(leaves) {
		return fmt.Errorf("openssl verified %d of %d", verified, len(leaves))
	}
	return nil
}

// accepts requires that both accept a chain.
func (v verification) accepts(chain, why string) {
	v.t.Helper()
	leaf, following := split(v.t, chain)
	require.NoError(v.t, v.byGo(chain), why)
	require.NoError(v.t, v.byOpenSSL([]string{leaf}, following), why)
}

// refuses requires that neither accepts a chain.
func (v verification) refuses(chain, why string) {
	v.t.Helper()
	leaf, following := split(v.t, chain)
	require.Error(v.t, v.byGo(chain), why)
	require.Error(v.t, v.byOpenSSL([]string{leaf}, following), why)
}

// split separates the leaf of a chain from the rest.
func split(t *testing.T, chain string) (leaf, following string) {
	t.Helper()
	block, rest := pem.Decode([]byte(chain))
	require.NotNil(t, block)
	return string(pem.EncodeToMemory(block)), string(rest)
}

// only returns one of the certificates of a list in PEM.
func only(t *testing.T, list string, i int) string {
	t.Helper()
	der := parseCertificates(t, list)[i].Raw
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// rotate replaces the authority and waits until the new one issues.
func (i issuance) rotate(t *testing.T) {
	t.Helper()
	require.NoError(t, i.keys.Rotate(t.Context(), persistence.SignsCertificates))
	i.clock.Advance(authn.DefaultPublishDelay)
}

// issued contains the credentials that were issued at one time.
type issued struct{ roots, client, server string }

func (i issuance) issued(t *testing.T) issued {
	t.Helper()
	client, err := i.EngineCertificate(uuid.New(), "demo", nil, i.clock.Now())
	require.NoError(t, err)
	server, err := i.ServerCertificate([]string{"localhost"}, i.clock.Now(), 397*24*time.Hour)
	require.NoError(t, err)
	return issued{roots: client.ServerRootCACertificate, client: client.ClientCertificate, server: server.CertificatePEM}
}

func TestManyCertificatesVerify(t *testing.T) {
	t.Parallel()
	const rounds, each = 4, 250
	i := newIssuance(t)
	serials := map[string]bool{}
	for range rounds {
		verify := asClient(t, i.RootsPEM(), i.clock.Now())
		leaves := make([]string, each)
		for n := range leaves {
			certificate, err := i.EngineCertificate(uuid.New(), "demo", nil, i.clock.Now())
			require.NoError(t, err)
			require.NoError(t, verify.byGo(certificate.ClientCertificate))
			require.False(t, serials[certificate.Serial], "a serial number is repeated")
			serials[certificate.Serial] = true
			leaves[n] = certificate.ClientCertificate
		}
		require.NoError(t, verify.byOpenSSL(leaves, ""))
	}
	require.Len(t, serials, rounds*each)
}

// Workers and Temporal accept each other through two rotations, whenever they
// fetched their authorities.
func TestRotatedAuthoritiesAreAcceptedByOldPools(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	generations := []issued{i.issued(t)}
	for range 2 {
		i.rotate(t)
		generations = append(generations, i.issued(t))
	}
	now := i.clock.Now()
	for n, then := range generations {
		require.Len(t, parseCertificates(t, then.roots), n+1)
		for g, later := range generations {
			why := fmt.Sprintf("generation %d by the roots of %d", g, n)
			require.Len(t, parseCertificates(t, later.client), g+1, "a certificate leads back to the first authority")
			asClient(t, then.roots, now).accepts(later.client, why)
			asServer(t, then.roots, now).accepts(later.server, why)
			// Java clients read the first certificate only.
			asServer(t, only(t, then.roots, 0), now).accepts(later.server, why)
			asClient(t, only(t, then.roots, 0), now).accepts(later.client, why)
		}
	}
	newest := generations[2]
	for n := range 3 {
		asServer(t, only(t, newest.roots, n), now).accepts(newest.server, "each root alone leads to the newest certificate")
	}
	asServer(t, only(t, newest.roots, 2), now).refuses(generations[0].server, "the newest root did not issue the oldest certificate")
	asClient(t, newest.roots, now).refuses(newest.server, "a server must not pass for a client")
}

func TestCertificatesVerifyAfterTwoRotations(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	first := i.RootsPEM()
	serials := map[string]bool{}
	for range 2 {
		i.rotate(t)
		verify := asClient(t, first, i.clock.Now())
		leaves, following := make([]string, 500), ""
		for n := range leaves {
			certificate, err := i.EngineCertificate(uuid.New(), "demo", nil, i.clock.Now())
			require.NoError(t, err)
			require.NoError(t, verify.byGo(certificate.ClientCertificate))
			serials[certificate.Serial] = true
			leaves[n], following = split(t, certificate.ClientCertificate)
		}
		require.NoError(t, verify.byOpenSSL(leaves, following))
	}
	require.Len(t, serials, 1000)
}

// A client that fetched a retired authority last may know no other for a year.
func TestCertificatesLeadBackToRetiredAuthorities(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	first := i.RootsPEM()
	i.rotate(t)
	i.clock.Advance(366*24*time.Hour - time.Hour)
	require.NoError(t, i.keys.Reload(t.Context()))
	roots := i.RootsPEM()
	require.Equal(t, first, only(t, roots, 0))

	i.clock.Advance(2 * time.Hour)
	require.NoError(t, i.keys.Reload(t.Context()))
	require.Equal(t, only(t, roots, 1), i.RootsPEM(), "the first one is trusted no more")
	asServer(t, first, i.clock.Now()).accepts(i.issued(t).server, "who knows the first one only is still there")

	i.clock.Advance(366 * 24 * time.Hour)
	require.NoError(t, i.keys.Reload(t.Context()))
	require.Len(t, parseCertificates(t, i.issued(t).server), 1)
}

func TestANewAuthorityIssuesWhenItIsKnown(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	issuer := func() string { return parseCertificates(t, i.issued(t).client)[0].Issuer.CommonName }
	first := issuer()
	require.NoError(t, i.keys.Rotate(t.Context(), persistence.SignsCertificates))
	i.clock.Advance(authn.DefaultPublishDelay - time.Nanosecond)
	require.Equal(t, first, issuer())
	require.Len(t, parseCertificates(t, i.RootsPEM()), 2)
	i.clock.Advance(time.Nanosecond)
	require.NotEqual(t, first, issuer())
}

// states returns the states of the keys for a purpose, the newest first.
func (i issuance) states(t *testing.T, purpose persistence.SigningKeyPurpose) []authn.KeyState {
	t.Helper()
	keys, err := i.keys.List(t.Context(), purpose)
	require.NoError(t, err)
	var states []authn.KeyState
	for _, key := range keys {
		states = append(states, key.State)
	}
	return states
}

func (i issuance) key(t *testing.T, purpose persistence.SigningKeyPurpose, n int) string {
	t.Helper()
	keys, err := i.keys.List(t.Context(), purpose)
	require.NoError(t, err)
	return keys[n].ID
}

func TestDistrustAlsoDistrustsCrossSigners(t *testing.T) {
	t.Parallel()
	const purpose = persistence.SignsCertificates
	i := newIssuance(t)
	first := i.issued(t)
	i.rotate(t)
	second := i.issued(t)
	i.rotate(t)
	third := i.issued(t)
	require.Equal(t, []authn.KeyState{authn.KeySigning, authn.KeyTrusted, authn.KeyTrusted}, i.states(t, purpose))

	middle, oldest := i.key(t, purpose, 1), i.key(t, purpose, 2)
	concerned, err := i.keys.Distrust(t.Context(), purpose, middle[:8])
	require.NoError(t, err)
	require.Equal(t, []string{middle, oldest}, concerned, "the oldest one certifies the one distrusted")
	require.Equal(t, []authn.KeyState{authn.KeySigning, authn.KeyDistrusted, authn.KeyDistrusted}, i.states(t, purpose))
	roots, now := i.RootsPEM(), i.clock.Now()
	require.Equal(t, only(t, third.roots, 2), roots)
	asClient(t, roots, now).refuses(first.client, "issued by the oldest")
	asClient(t, roots, now).refuses(second.client, "issued by the one distrusted")
	asClient(t, roots, now).accepts(third.client, "issued by one that is trusted")
	require.Len(t, parseCertificates(t, i.issued(t).client), 1, "nothing leads back to what is not trusted")
}

func TestDistrustedActiveAuthorityIsReplacedAtOnce(t *testing.T) {
	t.Parallel()
	const purpose = persistence.SignsCertificates
	i := newIssuance(t)
	i.rotate(t)
	before := i.issued(t)
	concerned, err := i.keys.Distrust(t.Context(), purpose, i.key(t, purpose, 0))
	require.NoError(t, err)
	require.Len(t, concerned, 2)
	require.Equal(t, []authn.KeyState{authn.KeySigning, authn.KeyDistrusted, authn.KeyDistrusted}, i.states(t, purpose))
	after := i.issued(t)
	asClient(t, after.roots, i.clock.Now()).accepts(after.client, "the new one issues")
	asClient(t, after.roots, i.clock.Now()).refuses(before.client, "the one before is not trusted")
	asClient(t, before.roots, i.clock.Now()).refuses(after.client, "no cross certificate leads to the new one")
}

func TestDistrustedTokenKey(t *testing.T) {
	t.Parallel()
	const purpose = persistence.SignsEngineTokens
	i := newIssuance(t)
	i.clock.Advance(time.Hour)
	require.NoError(t, i.keys.Rotate(t.Context(), purpose))
	i.clock.Advance(authn.DefaultPublishDelay)
	require.Equal(t, []authn.KeyState{authn.KeySigning, authn.KeyTrusted}, i.states(t, purpose))

	active, retired := i.key(t, purpose, 0), i.key(t, purpose, 1)
	require.Equal(t, active, i.TokenKeyID(i.clock.Now()))
	concerned, err := i.keys.Distrust(t.Context(), purpose, active)
	require.NoError(t, err)
	require.Equal(t, []string{active}, concerned)
	published := parseJWKS(t, i.Issuer)
	require.Empty(t, published.Key(active))
	require.NotEmpty(t, published.Key(retired), "a token key vouches for no other")
	require.Equal(t, i.key(t, purpose, 0), signedBy(t, i), "the retired one must not sign again")

	_, err = i.keys.Distrust(t.Context(), purpose, retired)
	require.NoError(t, err)
	require.Len(t, parseJWKS(t, i.Issuer).Keys, 1)
	for _, unknown := range []string{"", active[:7], i.key(t, persistence.SignsCertificates, 0), "nothing-of-that-name"} {
		_, err = i.keys.Distrust(t.Context(), purpose, unknown)
		require.ErrorIs(t, err, authn.ErrNoSuchKey, unknown)
	}
}

func TestRotationsInQuickSuccession(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	first := signedBy(t, i)
	i.clock.Advance(time.Hour)
	for range 3 {
		require.NoError(t, i.keys.Rotate(t.Context(), persistence.SignsEngineTokens))
		i.clock.Advance(10 * time.Second)
		require.Equal(t, first, signedBy(t, i))
	}
	published := parseJWKS(t, i.Issuer).Keys
	require.Len(t, published, 4)
	var signers []string
	for range 18 {
		signers = append(signers, signedBy(t, i))
		i.clock.Advance(10 * time.Second)
	}
	signers = slices.Compact(signers)
	require.Equal(t, published[0].KeyID, signers[len(signers)-1])
}

func TestKeyIDsAreNoFlags(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	for range 100 {
		require.NoError(t, i.keys.Rotate(t.Context(), persistence.SignsEngineTokens))
	}
	keys, err := i.keys.List(t.Context(), persistence.SignsEngineTokens)
	require.NoError(t, err)
	require.Len(t, keys, 101)
	for _, key := range keys {
		require.NotEqual(t, byte('-'), key.ID[0])
	}
}
