package contracttest_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/openapi"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

const (
	host   = "http://service.test"
	someID = "0190a7c2-0000-7000-8000-000000000001"
)

// stub answers a few operations; every other one would panic, and so be seen.
type stub struct {
	oasb.StrictServerInterface
	tenant *tenantAnswer
}

type tenantAnswer struct {
	answer oasb.RetrieveTenantResponseObject
	err    error
}

func (s stub) RetrieveTenant(
	context.Context, oasb.RetrieveTenantRequestObject,
) (oasb.RetrieveTenantResponseObject, error) {
	return s.tenant.answer, s.tenant.err
}

func serve(t *testing.T, server oasb.StrictServerInterface) http.Handler {
	t.Helper()
	doc, err := openapi.Load(openapi.ShapeB)
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	clock := func() time.Time { return time.Date(2024, 6, 14, 10, 0, 0, 0, time.UTC) }
	errs := httpio.NewErrorWriter(log, clock)
	validator, err := httpio.NewValidator(doc, errs, httpio.Limits{})
	require.NoError(t, err)
	base, err := httpio.BasePath(doc)
	require.NoError(t, err)
	engine := httpio.NewEngine(errs)
	engine.Use(validator.Handle, func(c *gin.Context) { c.Header("ETag", `"1.tenant"`) })
	oasb.RegisterHandlersWithOptions(engine, oasb.NewStrictHandler(server, httpio.ModifiedVersion, errs),
		oasb.GinServerOptions{BaseURL: base, ErrorHandler: errs.WriteUnbound})
	handler, err := httpio.Handler(engine)
	require.NoError(t, err)
	return chain.New(chain.Options{Log: log, Clock: clock}).Handler(handler)
}

func contract(t *testing.T) *contracttest.Contract {
	t.Helper()
	c, err := contracttest.Load(openapi.ShapeB)
	require.NoError(t, err)
	return c
}

// samples returns valid requests for some operations.
func samples() map[string]func() *http.Request {
	value := `{"value":{"a":1},"valid":false,"errors":[]}`
	return map[string]func() *http.Request{
		"retrieveTenant": request(http.MethodGet, "/tenants/"+someID, "", ""),
		"findProcesses":  request(http.MethodGet, "/processes?size=25&page=0&state=RUNNING&state=COMPLETED", "", ""),
		"patchProcessEntity": request(http.MethodPatch, "/processes/"+someID+"/entity", "application/json-patch+json",
			`[{"op":"add","path":"/a","value":1}]`),
		"createProcessItem": request(http.MethodPost, "/process-items", "application/json",
			`{"type":"TASK","processId":"`+someID+`","task":{"data":`+value+`},"message":{"data":`+value+`}}`),
	}
}

func request(method, path, media, body string) func() *http.Request {
	return func() *http.Request {
		r, err := http.NewRequestWithContext(context.Background(), method, host+"/v2024-06-14"+path, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		if media != "" {
			r.Header.Set("Content-Type", media)
		}
		return r
	}
}

func TestBadInputsCoverTheListedKinds(t *testing.T) {
	t.Parallel()
	c := contract(t)
	names := map[string]bool{}
	for _, id := range []string{"findProcesses", "createProcessItem", "patchProcessEntity"} {
		inputs, err := c.BadInputs(id, samples()[id])
		require.NoError(t, err)
		for _, input := range inputs {
			names[input.Name] = true
		}
	}
	for _, name := range []string{
		"path id", `query size="1001"`, `query sort="no-such-thing"`, `query tenantId="no-such-thing"`,
		`query state="no-such-thing"`, "body cut off", "body duplicate member", "body 129 deep", "body as text/plain",
		"body without /processId", "body bad word at /type", "body without /0/op", "body too large",
	} {
		require.True(t, names[name], name)
	}
}

func TestAnswersAreCheckedAndRecorded(t *testing.T) {
	t.Parallel()
	tenant := oasb.RetrieveTenant200JSONResponse{ID: uuid.MustParse(someID), Name: "Demo", Plan: oasb.TenantPricingPlanFREE}
	broken := tenant
	broken.Plan = "GOLD"
	c := contract(t)
	served := &tenantAnswer{}
	client := contracttest.Client(contracttest.InProcess(serve(t, stub{tenant: served})), c)
	ask := func(answer oasb.RetrieveTenantResponseObject, failure error) (int, error) {
		served.answer, served.err = answer, failure
		resp, err := client.Do(samples()["retrieveTenant"]())
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
	ok := contracttest.Pair{OperationID: "retrieveTenant", Status: "200"}
	failed := contracttest.Pair{OperationID: "retrieveTenant", Status: "default"}
	require.Contains(t, c.Missing(), ok)

	_, err := ask(broken, nil)
	require.ErrorIs(t, err, contracttest.ErrContract)
	require.Contains(t, c.Missing(), ok)

	_, err = ask(tenant, nil)
	require.NoError(t, err)
	require.NotContains(t, c.Missing(), ok)
	require.Contains(t, c.Missing(), failed)

	status, err := ask(nil, domain.NotFound("tenant"))
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, status)
	require.NotContains(t, c.Missing(), failed)
	require.Contains(t, c.Missing(), contracttest.Pair{OperationID: "createProcess", Status: "201"})
	require.NotContains(t, c.Missing("createProcess"), contracttest.Pair{OperationID: "createProcess", Status: "201"})
}

func TestUndeclaredInvalidRequestFails(t *testing.T) {
	t.Parallel()
	c := contract(t)
	client := contracttest.Client(contracttest.InProcess(serve(t, stub{})), c)
	resp, err := client.Do(request(http.MethodGet, "/processes?size=1001", "", "")())
	if err == nil {
		_ = resp.Body.Close()
	}
	require.ErrorIs(t, err, contracttest.ErrContract)
}

func TestFailuresOutsideTheContractAreCheckedToo(t *testing.T) {
	t.Parallel()
	plain := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(httpio.RequestIDHeader, "r")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "no such page")
	})
	resp, err := contracttest.Client(contracttest.InProcess(plain), contract(t)).Do(request(http.MethodGet, "/nothing", "", "")())
	if err == nil {
		_ = resp.Body.Close()
	}
	require.ErrorIs(t, err, contracttest.ErrContract)
	var syntax *json.SyntaxError
	require.ErrorAs(t, err, &syntax)
}
