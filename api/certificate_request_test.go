package api_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/sdk/transport"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A certificate for the key of a certificate signing request, of workers in both versions and of operators.
func TestCertificatesForRequestedKeys(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	key, err := transport.NewKey()
	require.NoError(t, err)
	csr := `"certificateSigningRequest":` + strconv.Quote(key.Request)
	check := func(certificate, private string, lifetime time.Duration) *x509.Certificate {
		t.Helper()
		require.Empty(t, private)
		pair, err := tls.X509KeyPair([]byte(certificate), key.Private)
		require.NoError(t, err)
		require.WithinRange(t, pair.Leaf.NotAfter, s.Now().Add(lifetime-time.Minute), s.Now().Add(lifetime))
		return pair.Leaf
	}
	worker := s.As("worker")
	for _, base := range []string{apitest.ShapeA, ""} {
		got := apitest.Decode[oasb.Authentication](t, s.Post(200, worker, base+"/authentications", `{"type":"ENGINE_CERTIFICATE",`+csr+`}`))
		issued := got.EngineCertificate.TLS
		leaf := check(issued.ClientCertificate, issued.ClientPrivateKey, 24*time.Hour)
		require.Equal(t, worker.ID.String(), leaf.Subject.CommonName)
		require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_grants WHERE id = $1 AND identifier = $2 AND expires_at = $3`,
			*got.ID, leaf.SerialNumber.Text(16), leaf.NotAfter))
		revoked := s.Post(200, s.As("owner"), apitest.AdminAPI+"/engine-access/~actions/revoke", `{"id":"`+got.ID.String()+`"}`)
		require.EqualValues(t, 1, apitest.Decode[oasadmin.EngineAccessRevocation](t, revoked).Revoked)
	}
	operated := apitest.Decode[oasadmin.OperatorAccess](t, s.Post(201, s.Operator, apitest.AdminAPI+"/engine-access/~actions/issue",
		`{"tenant":"north",`+csr+`}`)).TLS
	check(operated.ClientCertificate, operated.ClientPrivateKey, time.Hour)
}

func TestCertificateRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	key, err := transport.NewKey()
	require.NoError(t, err)
	before := s.Count(`SELECT count(*) FROM engine_grants`)
	for name, example := range map[string]struct{ kind, request, failure string }{
		"text":              {"ENGINE_CERTIFICATE", "worker", "must be one PEM block of type CERTIFICATE REQUEST"},
		"a private key":     {"ENGINE_CERTIFICATE", string(key.Private), "must be one PEM block of type CERTIFICATE REQUEST"},
		"too long":          {"ENGINE_CERTIFICATE", key.Request + strings.Repeat("\n", 8192), ""},
		"empty":             {"ENGINE_CERTIFICATE", "", ""},
		"with another type": {"ENGINE_TOKEN", key.Request, "is allowed with the type ENGINE_CERTIFICATE only"},
	} {
		body := `"certificateSigningRequest":` + strconv.Quote(example.request) + `}`
		for _, base := range []string{apitest.ShapeA, apitest.ShapeB} {
			failure := s.Refused(400, "VALIDATION", s.As("worker"), http.MethodPost, base+"/authentications", `{"type":"`+example.kind+`",`+body)
			require.Equal(t, "/certificateSigningRequest", failure.Errors[0].Location, name)
			require.Contains(t, failure.Errors[0].Message, example.failure, name)
		}
		if example.kind == "ENGINE_CERTIFICATE" {
			failure := s.Refused(400, "VALIDATION", s.Operator, http.MethodPost, apitest.AdminAPI+"/engine-access/~actions/issue", `{"tenant":"north",`+body)
			require.Equal(t, "/certificateSigningRequest", failure.Errors[0].Location, name)
		}
	}
	require.Equal(t, before, s.Count(`SELECT count(*) FROM engine_grants`))
}
