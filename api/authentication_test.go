package api_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

func TestCredentials(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker, alice := demo.LoanWorker(), demo.Alice()
	pair := func(id, secret string) string { return base64.StdEncoding.EncodeToString([]byte(id + ":" + secret)) }
	good := pair(worker.ID.String(), worker.Secret)
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"basic":                          {[]string{"Basic " + good}, 200},
		"basic in another case":          {[]string{"bAsIc " + good}, 200},
		"bearer of id and secret":        {[]string{"Bearer " + good}, 200},
		"bearer without padding":         {[]string{"Bearer " + strings.TrimRight(good, "=")}, 200},
		"id in upper case":               {[]string{"Basic " + pair(strings.ToUpper(worker.ID.String()), worker.Secret)}, 200},
		"personal access token":          {[]string{"Bearer " + alice.Secret}, 200},
		"nothing":                        {nil, 401},
		"empty":                          {[]string{""}, 401},
		"scheme alone":                   {[]string{"Basic"}, 401},
		"unknown scheme":                 {[]string{"Digest " + good}, 401},
		"no scheme":                      {[]string{good}, 401},
		"wrong secret":                   {[]string{"Basic " + pair(worker.ID.String(), "wrong")}, 401},
		"empty secret":                   {[]string{"Basic " + pair(worker.ID.String(), "")}, 401},
		"another's secret":               {[]string{"Basic " + pair(worker.ID.String(), demo.Reader().Secret)}, 401},
		"unknown id":                     {[]string{"Basic " + pair("01970000-0000-7000-8000-00000000ffff", worker.Secret)}, 401},
		"no id":                          {[]string{"Basic " + pair("loan-worker", worker.Secret)}, 401},
		"secret as a token":              {[]string{"Bearer " + worker.Secret}, 401},
		"token as a secret":              {[]string{"Basic " + pair(alice.ID.String(), alice.Secret)}, 401},
		"token under basic":              {[]string{"Basic " + alice.Secret}, 401},
		"not base64":                     {[]string{"Basic " + worker.ID.String() + ":" + worker.Secret}, 401},
		"unknown token":                  {[]string{"Bearer unknown"}, 401},
		"with something behind":          {[]string{"Bearer " + alice.Secret + " more"}, 401},
		"very long":                      {[]string{"Bearer " + strings.Repeat("a", 100_000)}, 401},
		"twice":                          {[]string{"Basic " + good, "Basic " + good}, 401},
		"good and bad, whichever counts": {[]string{"Basic " + good, "Bearer unknown"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			r := apitest.Request(t, worker, http.MethodGet, "/tenants", "")
			r.Header["Authorization"] = c.headers
			got := s.Send(r)
			require.Equal(t, c.status, got.Status, got.Body)
			if c.status == 401 {
				requireChallenge(t, got)
			}
		})
	}
}

func requireChallenge(t *testing.T, got apitest.Answer) {
	t.Helper()
	failure := apitest.Decode[contracttest.ErrorBody](t, got)
	require.Equal(t, 401, failure.Status)
	require.Equal(t, []contracttest.ErrorInfo{{Code: "UNAUTHENTICATED", Message: "valid credentials are required"}}, failure.Errors)
	challenges := got.Header.Values("WWW-Authenticate")
	require.Len(t, challenges, 2)
	require.Contains(t, challenges[0], "Basic ")
	require.Contains(t, challenges[1], "Bearer ")
}

// Without credentials every operation answers alike, whatever else is wrong
// with the request.
func TestAnonymousGetsNoInformation(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	operations := newFixture(s).operations()
	before := s.Snapshot()
	for _, name := range operationNames() {
		op := operations[name]
		contract, id := contractOf(name)
		bad, err := contract.BadInputs(id, func() *http.Request { return apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body) })
		require.NoError(t, err)
		requests := []*http.Request{apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body)}
		for _, input := range bad {
			if input.Status != http.StatusRequestEntityTooLarge {
				requests = append(requests, contracttest.Invalid(input.Request))
			}
		}
		for _, r := range requests {
			r.Header.Del("Authorization")
			got := s.Send(r)
			require.Equal(t, 401, got.Status, "%s: %s", name, got.Body)
			requireChallenge(t, got)
		}
	}
	require.Equal(t, before, s.Snapshot())
}

func TestEngineAccess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	token := apitest.Decode[oasb.Authentication](t, s.Post(200, demo.LoanWorker(), "/authentications", `{"type":"ENGINE_TOKEN"}`))
	require.Nil(t, token.EngineCertificate)
	require.Equal(t, demo.TenantDemo(), *token.TenantID)
	claims := apitest.ClaimsOf(t, token)
	require.Equal(t, demo.LoanWorker().ID.String(), claims.Sub)
	require.Equal(t, []string{"demo:write"}, claims.Permissions)
	require.Contains(t, claims.TaskQueues, "QUEUE_SAMPLE_LOAN")
	require.Subset(t, claims.TenantTaskQueues, claims.TaskQueues)

	certificate := apitest.Decode[oasb.Authentication](t, s.Post(200, demo.OtherWorker(), "/authentications",
		`{"type":"ENGINE_CERTIFICATE","tenantId":"`+demo.TenantOther().String()+`"}`))
	require.Nil(t, certificate.EngineToken)
	require.Equal(t, "other", certificate.EngineCertificate.Namespace)
	for _, text := range []string{
		certificate.EngineCertificate.TLS.ClientCertificate, certificate.EngineCertificate.TLS.ClientPrivateKey,
		certificate.EngineCertificate.TLS.ServerRootCaCertificate,
	} {
		block, _ := pem.Decode([]byte(text))
		require.NotNil(t, block)
	}
}

// The older version creates a token unless the request names another type.
func TestEngineAccessWithoutType(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	got := apitest.Decode[oasa.Authentication](t, s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/authentications", `{}`))
	require.Equal(t, oasa.AuthenticationTypeENGINE, *got.Type)
	require.Equal(t, got.EngineToken.Token, *got.Token)
	require.Equal(t, got.EngineToken.ExpiredAt, *got.ExpiredAt)
	require.Equal(t, demo.TenantDemo(), *got.TenantID)
	require.NotNil(t, got.ID)
	require.Equal(t, demo.LoanWorker().ID, *got.CreatedBy)
	require.NotNil(t, got.CreatedAt)
	require.Equal(t, oasa.AuditedObjectTypeAUTHENTICATION, *got.ObjectType)
}

func TestRevokedEngineAccessIsPublished(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	worker := s.As("worker")
	issue := func(kind string) oasb.Authentication {
		return apitest.Decode[oasb.Authentication](t, s.Post(200, worker, "/authentications", `{"type":"`+kind+`"}`))
	}
	token, certificate := issue("ENGINE_TOKEN"), issue("ENGINE_CERTIFICATE")
	published := func(etag string) apitest.Answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, apitest.Host+"/.well-known/engine-revocations.json", nil)
		require.NoError(t, err)
		r.Header.Set("If-None-Match", etag)
		return s.Send(r)
	}
	unknown := published("")
	require.Equal(t, 503, unknown.Status, "an empty list would be believed")

	revoke := func(as demo.Account, body string) int64 {
		got := s.Post(200, as, apitest.AdminAPI+"/engine-access/~actions/revoke", body)
		return apitest.Decode[oasadmin.EngineAccessRevocation](t, got).Revoked
	}
	of := `{"principalId":"` + worker.ID.String() + `"}`
	require.Zero(t, revoke(s.Of("south", "owner"), of), "of another tenant")
	require.Zero(t, revoke(s.As("manager"), of), "no administrator")
	require.EqualValues(t, 1, revoke(s.As("administrator"), `{"id":"`+token.ID.String()+`"}`))
	require.EqualValues(t, 1, revoke(s.Operator, of))
	require.Zero(t, revoke(s.As("owner"), of))
	everything := contracttest.Invalid(apitest.Request(t, s.As("owner"), http.MethodPost, apitest.AdminAPI+"/engine-access/~actions/revoke", `{}`))
	require.Equal(t, 400, s.Send(everything).Status)

	block, _ := pem.Decode([]byte(certificate.EngineCertificate.TLS.ClientCertificate))
	parsed, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	got := published("")
	require.Equal(t, 200, got.Status)
	require.Equal(t, "public, max-age=5", got.Header.Get("Cache-Control"))
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	list := apitest.Decode[struct {
		GeneratedAt          time.Time
		Tokens, Certificates []string
	}](t, got)
	require.Equal(t, []string{token.ID.String()}, list.Tokens)
	require.Equal(t, []string{parsed.SerialNumber.Text(16)}, list.Certificates)
	require.Equal(t, 304, published(got.Header.Get("ETag")).Status)

	page := apitest.Decode[oasadmin.EngineAccessPage](t, s.Get(200, s.As("owner"),
		apitest.AdminAPI+"/engine-access?active=false&sort=issuedAt&principalId="+worker.ID.String()))
	require.Len(t, page.Content, 2)
	require.Equal(t, *token.ID, page.Content[0].ID)
	require.Equal(t, s.As("administrator").ID, *page.Content[0].RevokedBy)
	require.Equal(t, oasadmin.EngineAccessKindENGINECERTIFICATE, page.Content[1].Kind)
	require.Equal(t, s.Operator.ID, *page.Content[1].RevokedBy)
	require.Empty(t, s.List(s.Of("south", "owner"), apitest.AdminAPI+"/engine-access?principalId="+worker.ID.String()).Content)
}
