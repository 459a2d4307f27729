package httpio_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/openapi"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
)

const id = "0190a7c2-0000-7000-8000-000000000001"

// stub responds with the input of handlers.
type stub struct {
	oasb.StrictServerInterface
	find  func(oasb.FindProcessesParams)
	start func(*oasb.ProcessCreateParams)
	patch func(oasb.JSONPatch)
}

func (s stub) FindProcesses(
	_ context.Context, request oasb.FindProcessesRequestObject,
) (oasb.FindProcessesResponseObject, error) {
	s.find(request.Params)
	return oasb.FindProcesses200JSONResponse{Content: []oasb.ProcessPageItem{}}, nil
}

func (s stub) CreateProcess(
	_ context.Context, request oasb.CreateProcessRequestObject,
) (oasb.CreateProcessResponseObject, error) {
	s.start(request.Body)
	return oasb.CreateProcess201JSONResponse{
		ID: uuid.MustParse(id), State: oasb.ProcessStateRUNNING, TenantID: uuid.MustParse(id), Metadata: request.Body.Metadata,
	}, nil
}

func (s stub) PatchProcessMetadata(
	_ context.Context, request oasb.PatchProcessMetadataRequestObject,
) (oasb.PatchProcessMetadataResponseObject, error) {
	s.patch(*request.JSONBody)
	return oasb.PatchProcessMetadata200JSONResponse{ID: uuid.MustParse(id)}, nil
}

func (s stub) CreateAuthentication(
	context.Context, oasb.CreateAuthenticationRequestObject,
) (oasb.CreateAuthenticationResponseObject, error) {
	return oasb.CreateAuthentication200JSONResponse{
		EngineToken: &oasb.AuthenticationEngineToken{Token: strings.Repeat("t", 4000)},
	}, nil
}

func (s stub) RetrieveTenant(
	context.Context, oasb.RetrieveTenantRequestObject,
) (oasb.RetrieveTenantResponseObject, error) {
	return oasb.RetrieveTenant200JSONResponse{Name: strings.Repeat("n", 4000)}, nil
}

func (s stub) RetrieveProcess(
	context.Context, oasb.RetrieveProcessRequestObject,
) (oasb.RetrieveProcessResponseObject, error) {
	panic("boom")
}

func handler(t *testing.T, server stub, log *slog.Logger) http.Handler {
	t.Helper()
	doc, err := openapi.Load(openapi.ShapeB)
	require.NoError(t, err)
	errs := httpio.NewErrorWriter(log, fixedClock)
	validator, err := httpio.NewValidator(doc, errs, httpio.Limits{})
	require.NoError(t, err)
	engine := httpio.NewEngine(errs)
	engine.GET("/plain", func(c *gin.Context) { c.String(http.StatusOK, httpio.RequestIDFrom(c.Request.Context())) })
	engine.Use(validator.Handle)
	oasb.RegisterHandlersWithOptions(engine, oasb.NewStrictHandler(server, httpio.ModifiedVersion, errs),
		oasb.GinServerOptions{BaseURL: "/v2024-06-14", ErrorHandler: errs.WriteUnbound})
	h, err := httpio.Handler(engine)
	require.NoError(t, err)
	return chain.New(chain.Options{Log: log, Clock: fixedClock}).Handler(h)
}

func do(t *testing.T, server stub, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler(t, server, slog.New(slog.DiscardHandler)).ServeHTTP(recorder, r)
	return recorder
}

func call(method, path, media, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	return r
}

func locations(t *testing.T, answer *httptest.ResponseRecorder) []string {
	t.Helper()
	var body struct {
		Errors []struct{ LocationType, Location string }
	}
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &body))
	var found []string
	for _, info := range body.Errors {
		found = append(found, info.LocationType+" "+info.Location)
	}
	return found
}

func TestDefaultsAreAppliedAndOrderIsKept(t *testing.T) {
	t.Parallel()
	var got oasb.FindProcessesParams
	server := stub{find: func(params oasb.FindProcessesParams) { got = params }}
	answer := do(t, server, call(http.MethodGet, "/v2024-06-14/processes?sort=createdAt%2CDESC&sort=id&initiatorEmail=A@example.test", "", ""))
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	page, sort := httpio.Listing(got.Size, got.Page, got.Sort)
	require.Equal(t, domain.PageRequest{Number: 0, Size: 25}, page)
	require.Equal(t, []domain.SortKey{{Property: "createdAt", Descending: true}, {Property: "id"}}, sort)
	require.Equal(t, []string{"A@example.test"}, got.InitiatorEmail)

	answer = do(t, server, call(http.MethodGet, "/v2024-06-14/processes?size=0&page=7", "", ""))
	require.Equal(t, http.StatusOK, answer.Code)
	page, sort = httpio.Listing(got.Size, got.Page, got.Sort)
	require.Equal(t, domain.PageRequest{Number: 7, Size: 0}, page)
	require.Empty(t, sort)
}

func TestAllViolationsAtOnce(t *testing.T) {
	t.Parallel()
	answer := do(t, stub{}, call(http.MethodGet, "/v2024-06-14/processes?size=-1&page=x&sort=nope&tenantId=1&tenantId=2&state=X&size=2", "", ""))
	require.Equal(t, http.StatusBadRequest, answer.Code)
	require.ElementsMatch(t, []string{"query size", "query page", "query sort", "query tenantId", "query state"}, locations(t, answer))

	answer = do(t, stub{}, call(http.MethodPut, "/v2024-06-14/processes/x/metadata", "application/json", `{"metadata":{"value":[]}}`))
	require.Equal(t, []string{"path id", "body /metadata/value"}, locations(t, answer))

	answer = do(t, stub{}, call(http.MethodPost, "/v2024-06-14/processes", "application/json", `{"id":"x","initiatorEmail":"y","metadata":{}}`))
	require.ElementsMatch(t, []string{
		"body /id", "body /initiatorEmail", "body /metadata/value", "body /processDefinitionId",
	}, locations(t, answer))
	require.NotContains(t, answer.Body.String(), "properties")
}

func TestValuesSurviveToTheDigit(t *testing.T) {
	t.Parallel()
	value := `{"z":1E22,"a":-0,"big":1234567890123456789012345678901234567890,"nul":"\u0000","e":1e9999999,"Z":1}`
	var got *oasb.ProcessCreateParams
	answer := do(t, stub{start: func(p *oasb.ProcessCreateParams) { got = p }}, call(http.MethodPost, "/v2024-06-14/processes",
		"application/json;charset=UTF-8", `{"processDefinitionId":"`+id+`","metadata":{"value":`+value+`}}`))
	require.Equal(t, http.StatusCreated, answer.Code, answer.Body)
	require.Equal(t, value, string(got.Metadata.Value))
	require.Contains(t, answer.Body.String(), value)
}

func TestMembersThatMustHaveNoEffect(t *testing.T) {
	t.Parallel()
	var got *oasb.ProcessCreateParams
	answer := do(t, stub{start: func(p *oasb.ProcessCreateParams) { got = p }}, call(http.MethodPost, "/v2024-06-14/processes",
		"application/json", `{"processDefinitionId":"`+id+`","ID":5,"initiatorid":"`+id+`","unknown":{"id":1},
		"metadata":{"valid":"yes","errors":7,"value":{"ID":1,"id":2}}}`))
	require.Equal(t, http.StatusCreated, answer.Code, answer.Body)
	require.Nil(t, got.ID)
	require.Nil(t, got.InitiatorID)
	require.Nil(t, got.Metadata.Valid)
	require.Empty(t, got.Metadata.Errors)
	require.JSONEq(t, `{"ID":1,"id":2}`, string(got.Metadata.Value))
}

func TestNullMembers(t *testing.T) {
	t.Parallel()
	var got *oasb.ProcessCreateParams
	server := stub{start: func(p *oasb.ProcessCreateParams) { got = p }}
	create := func(members string) *httptest.ResponseRecorder {
		return do(t, server, call(http.MethodPost, "/v2024-06-14/processes", "application/json", `{"processDefinitionCode":"C",`+members+`}`))
	}
	// Optional ones are absent, and a null inside a value is data.
	answer := create(`"id":null,"processDefinitionId":null,"entity":null,"metadata":{"valid":null,"errors":null,"value":{"id":null,"a":[null]}}`)
	require.Equal(t, http.StatusCreated, answer.Code, answer.Body)
	require.Nil(t, got.ID)
	require.Nil(t, got.ProcessDefinitionID)
	require.Nil(t, got.Entity)
	require.JSONEq(t, `{"id":null,"a":[null]}`, string(got.Metadata.Value))
	// Required ones and elements must not be null.
	answer = create(`"metadata":{"value":null}`)
	require.Equal(t, http.StatusBadRequest, answer.Code)
	require.Equal(t, []string{"body /metadata/value"}, locations(t, answer))
	require.Contains(t, answer.Body.String(), "must not be null")
	answer = do(t, server, call(http.MethodPost, "/v2024-06-14/workers", "application/json",
		`{"identity":"i","taskQueue":"q","hostname":"h","ip":"127.0.0.1","workflowTypes":[null]}`))
	require.Equal(t, []string{"body /workflowTypes/0"}, locations(t, answer))
}

func TestPatchTakesBothMediaTypes(t *testing.T) {
	t.Parallel()
	path := "/v2024-06-14/processes/" + id + "/metadata"
	for _, media := range []string{"application/json-patch+json", "application/json", "Application/JSON-Patch+JSON; charset=utf-8"} {
		var got oasb.JSONPatch
		server := stub{patch: func(patch oasb.JSONPatch) { got = patch }}
		answer := do(t, server, call(http.MethodPatch, path, media,
			`[{"op":"add","path":"/a","value":null,"x":1},{"op":"remove","path":"/b"},{"op":"test","path":"","value":1E22}]`))
		require.Equal(t, http.StatusOK, answer.Code, answer.Body)
		require.Len(t, got, 3)
		require.Equal(t, "null", string(got[0].Value))
		require.Nil(t, got[1].Value)
		require.Equal(t, "1E22", string(got[2].Value))
		answer = do(t, server, call(http.MethodPatch, path, media, `[]`))
		require.Equal(t, http.StatusOK, answer.Code)
	}
	answer := do(t, stub{}, call(http.MethodPatch, path, "application/merge-patch+json", `{}`))
	require.Equal(t, http.StatusUnsupportedMediaType, answer.Code)
	require.Equal(t, "application/json-patch+json, application/json", answer.Header().Get("Accept-Patch"))
}

func TestBodyLimitWithAndWithoutLength(t *testing.T) {
	t.Parallel()
	big := `{"type":"` + strings.Repeat("x", httpio.DefaultBodyLimit) + `"}`
	sized := call(http.MethodPost, "/v2024-06-14/authentications", "application/json", big)
	chunked := call(http.MethodPost, "/v2024-06-14/authentications", "application/json", "")
	chunked.Body, chunked.ContentLength = io.NopCloser(strings.NewReader(big)), -1
	for _, r := range []*http.Request{sized, chunked} {
		require.Equal(t, http.StatusRequestEntityTooLarge, do(t, stub{}, r).Code)
	}
}

func TestGzipExceptSecrets(t *testing.T) {
	t.Parallel()
	r := call(http.MethodGet, "/v2024-06-14/tenants/"+id, "", "")
	r.Header.Set("Accept-Encoding", "gzip")
	answer := do(t, stub{}, r)
	require.Equal(t, "gzip", answer.Header().Get("Content-Encoding"))
	reader, err := gzip.NewReader(answer.Body)
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(reader).Decode(&oasb.Tenant{}))

	r = call(http.MethodPost, "/v2024-06-14/authentications", "application/json", `{"type":"ENGINE_TOKEN"}`)
	r.Header.Set("Accept-Encoding", "gzip")
	answer = do(t, stub{}, r)
	require.Equal(t, http.StatusOK, answer.Code)
	require.Empty(t, answer.Header().Get("Content-Encoding"))
	require.Empty(t, answer.Header().Get("No-Gzip-Compression"))
}

func TestHeadSlashesAndMethods(t *testing.T) {
	t.Parallel()
	server := stub{find: func(oasb.FindProcessesParams) {}}
	answer := do(t, server, call(http.MethodHead, "/v2024-06-14/processes", "", ""))
	require.Equal(t, http.StatusOK, answer.Code)
	require.Empty(t, answer.Body.String())

	r := call(http.MethodGet, "/v2024-06-14/processes", "", "")
	r.URL.Path = "//v2024-06-14/processes"
	require.Equal(t, http.StatusOK, do(t, server, r).Code)

	answer = do(t, server, call(http.MethodDelete, "/v2024-06-14/processes", "", ""))
	require.Equal(t, http.StatusMethodNotAllowed, answer.Code)
	require.ElementsMatch(t, []string{"GET", "HEAD", "POST"}, strings.Split(answer.Header().Get("Allow"), ", "))
	require.Contains(t, answer.Body.String(), `"status":405`)

	answer = do(t, server, call(http.MethodGet, "/v2024-06-14/nothing", "", ""))
	require.Equal(t, http.StatusNotFound, answer.Code)
	require.Contains(t, answer.Body.String(), `"code":"NOT_FOUND"`)
}

// The same over a real connection, where the server itself parses the request.
func TestHeadAndSlashesOverTheNetwork(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(handler(t, stub{find: func(oasb.FindProcessesParams) {}}, slog.New(slog.DiscardHandler)))
	t.Cleanup(server.Close)
	resp, err := server.Client().Head(server.URL + "//v2024-06-14/processes")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
}

func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	recorder := httptest.NewRecorder()
	handler(t, stub{}, slog.New(slog.NewJSONHandler(&logged, nil))).
		ServeHTTP(recorder, call(http.MethodGet, "/v2024-06-14/processes/"+id, "", ""))
	require.Equal(t, http.StatusInternalServerError, recorder.Code)
	require.NotContains(t, recorder.Body.String(), "boom")
	require.Contains(t, logged.String(), "boom")
	require.Contains(t, logged.String(), `"route":"/v2024-06-14/processes/:id"`)
	require.Contains(t, logged.String(), `"status":500`)
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	for id, kept := range map[string]bool{
		"abc-1.2:3_4": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false, "with space": false, "": false, "é": false,
	} {
		r := call(http.MethodGet, "/plain", "", "")
		r.Header.Set(httpio.RequestIDHeader, id)
		answer := do(t, stub{}, r)
		echoed := answer.Header().Get(httpio.RequestIDHeader)
		require.Equal(t, echoed, answer.Body.String())
		if kept {
			require.Equal(t, id, echoed)
			continue
		}
		made, err := uuid.Parse(echoed)
		require.NoError(t, err)
		require.Equal(t, uuid.Version(7), made.Version())
	}
}

func TestAnswersThatMustNotCrash(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"size=1e9999999", "size=%zz", "sort=%FF", "processDefinitionCode=%00", "page=99999999999999999999999", "size=&page="} {
		answer := do(t, stub{}, call(http.MethodGet, "/v2024-06-14/processes?"+query, "", ""))
		require.Equal(t, http.StatusBadRequest, answer.Code, query)
	}
}

func TestViolationsOfALargeBodyAreBounded(t *testing.T) {
	t.Parallel()
	for name, elements := range map[string]string{
		"robotIds":      strings.Repeat(`"",`, 300_000) + `""`,
		"workflowTypes": strings.Repeat(`"\u0000",`, 100_000) + `"a"`,
	} {
		body := `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1","` + name + `":[` + elements + `]}`
		answer := do(t, stub{}, call(http.MethodPost, "/v2024-06-14/workers", "application/json", body))
		require.Equal(t, http.StatusBadRequest, answer.Code)
		found := locations(t, answer)
		require.Contains(t, found, "body /"+name+"/0")
		require.LessOrEqual(t, len(found), 100)
	}
}
