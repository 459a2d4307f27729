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

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/openapi"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
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
	engine := httpio.NewEngine(errs, log, clock, nil)
	engine.Use(validator.Handle, func(c *gin.Context) { c.Header("ETag", `"1.tenant"`) })
	oasb.RegisterHandlersWithOptions(engine, oasb.NewStrictHandler(server, httpio.ModifiedVersion, errs),
		oasb.GinServerOptions{BaseURL: base, ErrorHandler: errs.WriteUnbound})
	handler, err := httpio.Handler(engine)
	require.NoError(t, err)
	return handler
}

func contract(t *testing.T) *contracttest.Contract {
	t.Helper()
	c, err := contracttest.Load(openapi.ShapeB)
	require.NoError(t, err)
	return c
}

// samples are valid requests for every operation.
func samples() map[string]func() *http.Request {
	get := func(path string) func() *http.Request { return request(http.MethodGet, path, "", "") }
	post := func(path, body string) func() *http.Request {
		return request(http.MethodPost, path, "application/json", body)
	}
	put := func(path, body string) func() *http.Request {
		return request(http.MethodPut, path, "application/json", body)
	}
	patch := func(path string) func() *http.Request {
		return request(http.MethodPatch, path, "application/json-patch+json", `[{"op":"add","path":"/a","value":1}]`)
	}
	upload := func(path string) func() *http.Request {
		return request(http.MethodPost, path+"&fileContentType=text%2Fplain", "application/octet-stream", "content")
	}
	value := `{"value":{"a":1},"valid":false,"errors":[]}`
	return map[string]func() *http.Request{
		"findPrincipals":            get("/principals?type=USER&sort=name%2Cdesc"),
		"retrievePrincipal":         get("/principals/" + someID),
		"findTenants":               get("/tenants"),
		"retrieveTenant":            get("/tenants/" + someID),
		"findTenantUsers":           get("/tenant-users?email=a@example.test"),
		"retrieveTenantUser":        get("/tenant-users/" + someID),
		"findGroups":                get("/groups?groupCode=A&sort=name"),
		"streamEvents":              get("/events?follow=false&after=0.0.0"),
		"findProcesses":             get("/processes?size=25&page=0&state=RUNNING&state=COMPLETED"),
		"createProcess":             post("/processes", `{"processDefinitionId":"`+someID+`","metadata":`+value+`}`),
		"retrieveProcess":           get("/processes/" + someID),
		"completeProcess":           request(http.MethodPost, "/processes/"+someID+"/~actions/complete", "", ""),
		"cancelProcess":             request(http.MethodPost, "/processes/"+someID+"/~actions/cancel", "", ""),
		"cancelProcessProcessItems": request(http.MethodPost, "/processes/"+someID+"/~actions/cancel-process-items", "", ""),
		"updateProcessMetadata":     put("/processes/"+someID+"/metadata", `{"metadata":`+value+`}`),
		"patchProcessMetadata":      patch("/processes/" + someID + "/metadata"),
		"updateProcessEntity":       put("/processes/"+someID+"/entity", `{"entity":`+value+`}`),
		"patchProcessEntity":        patch("/processes/" + someID + "/entity"),
		"changeProcessInitiator":    post("/processes/"+someID+"/~actions/change-initiator", `{"initiatorId":"`+someID+`"}`),
		"uploadProcessDocument":     upload("/processes/" + someID + "/~actions/upload-document?fileName=a.txt"),
		"uploadProcessUserActionDocument": upload("/processes/" + someID +
			"/~actions/upload-user-action-document?fileName=a.txt&userActionValueId=" + someID),
		"downloadProcessDocument": get("/processes/" + someID + "/~actions/download-document?documentUri=u"),
		"createProcessAction":     post("/processes/"+someID+"/actions", `{"processActionDefinitionCode":"A"}`),
		"retrieveProcessAction":   get("/processes/" + someID + "/actions/" + someID),
		"cancelProcessAction": request(http.MethodPost,
			"/processes/"+someID+"/actions/"+someID+"/~actions/cancel", "", ""),
		"uploadProcessActionDocument": upload("/processes/" + someID + "/actions/" + someID + "/~actions/upload-document?fileName=a.txt"),
		"findAvailableProcessActions": get("/processes/" + someID + "/actions/~available"),
		"findBusinessArtifacts":       get("/business-artifacts?value=name%20eq%20a"),
		"createDataSourceQuery":       post("/data-source-queries", `{"dataSourceCode":"GOODS"}`),
		"retrieveDataSourceQuery":     get("/data-source-queries/" + someID),
		"createBusinessArtifact": post("/business-artifacts",
			`{"businessArtifactDefinitionId":"`+someID+`","data":`+value+`}`),
		"retrieveBusinessArtifact":       get("/business-artifacts/" + someID),
		"deleteProcess":                  request(http.MethodDelete, "/processes/"+someID, "", ""),
		"restoreBusinessArtifact":        request(http.MethodPost, "/business-artifacts/"+someID+"/~actions/restore", "", ""),
		"deleteBusinessArtifact":         request(http.MethodDelete, "/business-artifacts/"+someID, "", ""),
		"updateBusinessArtifactData":     put("/business-artifacts/"+someID+"/data", `{"data":`+value+`}`),
		"patchBusinessArtifactData":      patch("/business-artifacts/" + someID + "/data"),
		"createBusinessArtifactAction":   post("/business-artifacts/"+someID+"/actions", `{"businessArtifactActionDefinitionCode":"A"}`),
		"retrieveBusinessArtifactAction": get("/business-artifacts/" + someID + "/actions/" + someID),
		"cancelBusinessArtifactAction": request(http.MethodPost,
			"/business-artifacts/"+someID+"/actions/"+someID+"/~actions/cancel", "", ""),
		"prepareBusinessArtifactCreateArtifact": post("/business-artifacts/"+someID+"/~actions/prepare-create-artifact",
			`{"businessArtifactActionDefinitionCode":"A"}`),
		"prepareBusinessArtifactStartProcess": post("/business-artifacts/"+someID+"/~actions/prepare-start-process",
			`{"businessArtifactActionDefinitionCode":"A"}`),
		"uploadBusinessArtifactDocument":     upload("/business-artifacts/" + someID + "/~actions/upload-document?fileName=a.txt"),
		"downloadBusinessArtifactDocument":   get("/business-artifacts/" + someID + "/~actions/download-document?documentUri=u"),
		"findProcessDefinitions":             get("/process-definitions?startable=true"),
		"retrieveProcessDefinition":          get("/process-definitions/" + someID),
		"findBusinessArtifactDefinitions":    get("/business-artifact-definitions"),
		"retrieveBusinessArtifactDefinition": get("/business-artifact-definitions/" + someID),
		"uploadDocument":                     upload("/documents/~actions/upload?targetUri=ku:process/" + someID + "&fileName=a.txt"),
		"downloadDocument":                   get("/documents/~actions/download?documentUri=u"),
		"findProcessItems":                   get("/process-items?type=TASK&taskState=READY&sort=claimedAt"),
		"createProcessItem": post("/process-items",
			`{"type":"TASK","processId":"`+someID+`","task":{"data":`+value+`},"message":{"data":`+value+`}}`),
		"retrieveProcessItem":              get("/process-items/" + someID),
		"claimProcessItemTask":             request(http.MethodPost, "/process-items/"+someID+"/task/~actions/claim", "", ""),
		"assignProcessItemTask":            post("/process-items/"+someID+"/task/~actions/assign", `{"ownerId":"`+someID+`"}`),
		"completeProcessItemTask":          request(http.MethodPost, "/process-items/"+someID+"/task/~actions/complete", "", ""),
		"appendProcessItemTaskLog":         post("/process-items/"+someID+"/task/~actions/append-log", `{"message":"m","level":"INFO"}`),
		"updateProcessItemTaskData":        put("/process-items/"+someID+"/task/data", `{"data":`+value+`}`),
		"patchProcessItemTaskData":         patch("/process-items/" + someID + "/task/data"),
		"updateProcessItemTaskContextData": put("/process-items/"+someID+"/task/context-data", `{"data":`+value+`}`),
		"createWorker":                     post("/workers", `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1"}`),
		"createAuthentication":             post("/authentications", `{"type":"ENGINE_TOKEN"}`),
		"retrieveKmsKey":                   get("/kms/keys/key"),
		"retrieveProcessItemAiAssistance":  get("/process-items/" + someID + "/~actions/ai-assistance"),
		"generateProcessItemAiAssistance":  post("/process-items/"+someID+"/~actions/ai-assistance", `{"requestId":"`+someID+`"}`),
		"downloadProcessItemTaskDataWebformsAsDocument": get("/process-items/" + someID +
			"/task/data/~actions/download-webforms-as-document?propertyPath=%2FA"),
		"findRobots":              get("/robots?filterContext=READY"),
		"retrieveRobot":           get("/robots/" + someID),
		"downloadRobotSourceCode": get("/robots/" + someID + "/~actions/download-source-code"),
		"downloadRobotAsset": get("/robots/" + someID +
			"/~actions/download-asset?type=NODEJS&version=20.0.0&platform=LINUX&architecture=X86_64"),
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

// Every operation refuses every kind of bad input before its handler runs: the
// stub has no handlers.
func TestBadInputsOfEveryOperation(t *testing.T) {
	t.Parallel()
	c := contract(t)
	client := contracttest.Client(contracttest.InProcess(serve(t, stub{})), c)
	requests := samples()
	for _, id := range c.Operations() {
		require.Contains(t, requests, id)
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			c.RunBadInputs(t, client, id, requests[id])
		})
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
