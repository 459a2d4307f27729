package admin_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

const issueAccess = apitest.AdminAPI + "/engine-access/~actions/issue"

func TestOperatorsAreIssuedAccessToReadANamespace(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	until := s.Now().Add(30 * time.Minute).UTC().Truncate(time.Second)
	issued := apitest.Decode[oasadmin.OperatorAccess](t, s.Post(201, s.Operator, issueAccess,
		`{"tenant":"north","expiresAt":`+strconv.Quote(until.Format(time.RFC3339))+`}`))
	require.NotEmpty(t, issued.Namespace)
	require.Equal(t, "temporal.example:7233", *issued.Address)
	require.Equal(t, until, issued.ExpiresAt)
	block, _ := pem.Decode([]byte(issued.TLS.ClientCertificate))
	certificate, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	require.Equal(t, until, certificate.NotAfter)
	require.Equal(t, []string{issued.Namespace}, certificate.Subject.OrganizationalUnit)
	hour := apitest.Decode[oasadmin.OperatorAccess](t, s.Post(201, s.Operator, issueAccess, `{"tenant":"south"}`))
	require.WithinRange(t, hour.ExpiresAt, s.Now().Add(time.Hour-time.Second), s.Now().Add(time.Hour))

	active := apitest.AdminAPI + "/engine-access?active=true&sort=id&principalId=" + s.Operator.ID.String()
	listed := apitest.Decode[oasadmin.EngineAccessPage](t, s.Get(200, s.As("administrator"), active))
	require.Len(t, listed.Content, 2, "administrators see what looks into their tenant")
	for _, access := range listed.Content {
		require.True(t, access.ReadOnly)
		require.Equal(t, until, access.ExpiresAt)
		require.Contains(t, []string{issued.TokenID.String(), issued.CertificateID.String()}, access.ID.String())
	}
	require.Equal(t, 2, s.Count(`SELECT count(*) FROM events WHERE type = 'AUTHENTICATION.ISSUED' AND actor_id = $1
		AND resource_id IN ($2, $3) AND details ->> 'readOnly' = 'true'`, s.Operator.ID, issued.TokenID, issued.CertificateID))

	s.Post(200, s.As("owner"), apitest.AdminAPI+"/engine-access/~actions/revoke", `{"id":"`+issued.TokenID.String()+`"}`)
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_grants WHERE id = $1 AND revoked_by = $2`, issued.TokenID, s.As("owner").ID))

	own := apitest.Decode[oasadmin.OperatorAccess](t, s.Post(201, s.Operator, issueAccess, `{}`))
	require.Equal(t, "procession", own.Namespace)
	require.Len(t, apitest.Decode[oasadmin.EngineAccessPage](t, s.Get(200, s.As("administrator"), active)).Content, 1, "it is of no tenant")
	require.Len(t, apitest.Decode[oasadmin.EngineAccessPage](t, s.Get(200, s.Operator, active)).Content, 5)

	// Who stops being an operator loses all of it.
	_, _, err = s.Administration.AddOperator(t.Context(), s.As("owner").Email, false)
	require.NoError(t, err)
	_, err = s.Administration.RemoveOperator(t.Context(), s.Operator.Email)
	require.NoError(t, err)
	require.Zero(t, s.Count(`SELECT count(*) FROM engine_grants WHERE principal_id = $1 AND revoked_at IS NULL`, s.Operator.ID))
	require.Equal(t, 6, s.Count(`SELECT count(*) FROM events WHERE type = 'AUTHENTICATION.REVOKED' AND resource_id IN
		(SELECT id FROM engine_grants WHERE principal_id = $1)`, s.Operator.ID))
}

func TestOperatorAccessThatIsRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	for _, name := range []string{"owner", "administrator", "manager", "worker", "viewer"} {
		s.Refused(403, "ACCESS_DENIED", s.As(name), http.MethodPost, issueAccess, `{"tenant":"north"}`)
	}
	s.Refused(404, "NOT_FOUND", s.Operator, http.MethodPost, issueAccess, `{"tenant":"nowhere"}`)
	for _, at := range []time.Duration{0, -time.Minute, time.Hour + 2*time.Second} {
		s.Refused(400, "VALIDATION", s.Operator, http.MethodPost, issueAccess,
			`{"tenant":"north","expiresAt":`+strconv.Quote(s.Now().Add(at).UTC().Format(time.RFC3339))+`}`)
	}
	require.Zero(t, s.Count(`SELECT count(*) FROM engine_grants WHERE principal_id = $1`, s.Operator.ID))
}
