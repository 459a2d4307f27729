package cloud_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	namespacepb "go.temporal.io/cloud-sdk/api/namespace/v1"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/engine/cloud"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/cloudtest"
)

// newAuthority returns a self-signed certificate of an organization.
func newAuthority(t *testing.T, organization, name string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{Organization: []string{organization}, CommonName: name}, IsCA: true,
		BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return certificate
}

// acceptedNames returns the names of the authorities that a namespace accepts.
func acceptedNames(t *testing.T, n *namespacepb.Namespace) (names []string) {
	t.Helper()
	for block, rest := pem.Decode(n.GetSpec().GetMtlsAuth().GetAcceptedClientCa()); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		require.NoError(t, err)
		names = append(names, certificate.Subject.CommonName)
	}
	return names
}

func TestEnsureNamespaceCreatesAndUpdates(t *testing.T) {
	t.Parallel()
	c := cloudtest.Start(t)
	c.DeniedReads = 2
	o := options(c)
	o.Certificates = true
	a := newAccount(t, o)
	first := authn.TrustedAuthority{ID: "1", Certificate: newAuthority(t, "Procession", "Procession CA 1")}
	second := authn.TrustedAuthority{ID: "2", Certificate: newAuthority(t, "Procession", "Procession CA 2")}

	// Several replicas wait for the same operation.
	var replicas errgroup.Group
	for range 3 {
		replicas.Go(func() error { return a.EnsureNamespace(t.Context(), namespace, []authn.TrustedAuthority{first}) })
	}
	require.NoError(t, replicas.Wait())
	created := c.Namespace(namespace)
	require.Equal(t, "north", created.GetSpec().GetName())
	require.Equal(t, "aws-eu-central-1", created.GetSpec().GetReplicas()[0].GetRegion())
	require.EqualValues(t, 3, created.GetSpec().GetRetentionDays())
	require.Equal(t, namespacepb.NamespaceSpec_SEARCH_ATTRIBUTE_TYPE_INT, created.GetSpec().GetSearchAttributes()["KuFlowWorkflowVersion"])
	require.Equal(t, []string{"Procession CA 1"}, acceptedNames(t, created))
	require.LessOrEqual(t, c.MaxAtOnce(), 4)

	require.NoError(t, a.EnsureNamespace(t.Context(), namespace, []authn.TrustedAuthority{first}))
	require.Equal(t, created.GetResourceVersion(), c.Namespace(namespace).GetResourceVersion(), "no change without need")

	// Authorities and attributes of other owners stay.
	c.Change(func() {
		created.Spec.MtlsAuth.AcceptedClientCa = append(created.GetSpec().GetMtlsAuth().GetAcceptedClientCa(),
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: newAuthority(t, "Other", "other").Raw})...)
		created.Spec.SearchAttributes["Other"] = namespacepb.NamespaceSpec_SEARCH_ATTRIBUTE_TYPE_TEXT
	})
	c.Put(created)
	require.NoError(t, a.EnsureNamespace(t.Context(), namespace, []authn.TrustedAuthority{first, second}))
	require.Equal(t, []string{"Procession CA 1", "other", "Procession CA 2"}, acceptedNames(t, c.Namespace(namespace)))
	require.NoError(t, a.EnsureNamespace(t.Context(), namespace, []authn.TrustedAuthority{second}))
	require.Equal(t, []string{"other", "Procession CA 2"}, acceptedNames(t, c.Namespace(namespace)))
	require.Len(t, c.Namespace(namespace).GetSpec().GetSearchAttributes(), 2)
}

func TestEnsureNamespaceNamesTheCause(t *testing.T) {
	t.Parallel()
	c := cloudtest.Start(t)
	c.Failures["CreateNamespace"] = []string{"region is out of capacity"}
	o := options(c)
	a := newAccount(t, o)
	require.NoError(t, a.Check(t.Context()))
	require.ErrorContains(t, a.EnsureNamespace(t.Context(), "north", nil), "its name must end with .a1b2c")
	require.ErrorContains(t, a.EnsureNamespace(t.Context(), namespace, nil), "region is out of capacity")
	require.NoError(t, a.EnsureNamespace(t.Context(), namespace, nil), "a failed operation is repeated under another id")
	require.True(t, c.Namespace(namespace).GetSpec().GetApiKeyAuth().GetEnabled())

	o.Credentials.Token = func() (string, error) { return "expired", nil }
	err := newAccount(t, o).EnsureNamespace(t.Context(), namespace, nil)
	require.ErrorContains(t, err, "does not accept the API key")
	o = options(c)
	o.Account = "z9y8x"
	require.ErrorContains(t, newAccount(t, o).EnsureNamespace(t.Context(), "south.z9y8x", nil), "created the namespace south.a1b2c instead: correct the account")
}

func TestAuthoritiesSignOnceNamespacesAcceptThem(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(o *cloud.Options) { o.Certificates = true })
	keeper, _ := i.keep(discard())
	i.await("the namespace", func() bool {
		_, err := keeper.Provision("cloud", namespace)
		return err == nil
	})
	signer := func() string {
		require.NoError(t, i.keys.Reload(t.Context()))
		pair, err := i.issuer.ServerCertificate([]string{"localhost"}, i.now(), time.Hour)
		require.NoError(t, err)
		block, _ := pem.Decode([]byte(pair.CertificatePEM))
		certificate, err := x509.ParseCertificate(block.Bytes)
		require.NoError(t, err)
		return certificate.Issuer.CommonName
	}
	before := signer()

	// While updates fail, the earlier authority signs.
	c := i.Cloud
	c.Change(func() { c.Failures["UpdateNamespace"] = []string{"maintenance", "maintenance"} })
	i.later.Store(int64(time.Minute))
	require.NoError(t, i.keys.Rotate(t.Context(), persistence.SignsCertificates))
	i.await("the failed update", func() bool { return len(i.problems()) == 1 })
	i.later.Add(int64(authn.DefaultPublishDelay + time.Second))
	require.Equal(t, before, signer())
	i.await("the second failure", func() bool {
		i.later.Add(int64(time.Second))
		left := 0
		c.Change(func() { left = len(c.Failures["UpdateNamespace"]) })
		return left == 0
	})
	i.await("the new authority to sign", func() bool {
		i.later.Add(int64(time.Second))
		return signer() != before
	})
	require.Equal(t, []string{before, signer()}, acceptedNames(t, i.Namespace(namespace)))
}

func TestAuthoritySignsAfterTheLongestWait(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, func(o *cloud.Options) { o.Certificates = true })
	require.NoError(t, i.putNamespace([]string{"another authority"}))
	require.NoError(t, i.keys.Rotate(t.Context(), persistence.SignsCertificates))
	listed := func() string {
		infos, err := i.keys.List(t.Context(), persistence.SignsCertificates)
		require.NoError(t, err)
		return string(infos[0].State) + " " + string(infos[1].State)
	}
	i.later.Store(int64(11 * time.Hour))
	require.Equal(t, "NEXT SIGNING", listed())
	i.later.Store(int64(13 * time.Hour))
	require.Equal(t, "SIGNING TRUSTED", listed())
}
