package shapea_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestBodiesOfShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.DescribeUsers()
	for name, path := range map[string]string{
		"principal_user":               "/principals/" + demo.Alice().ID.String(),
		"principal_application":        "/principals/" + demo.LoanWorker().ID.String(),
		"principal_system":             "/principals/" + domain.SystemPrincipalID().String(),
		"principal_page":               "/principals?size=2&sort=name",
		"principal_page_empty":         "/principals?size=0",
		"tenant_user":                  "/tenant-users/" + s.Membership(demo.Alice()).String(),
		"tenant_user_invalid_metadata": "/tenant-users/" + s.Membership(demo.Bob()).String(),
		"tenant_user_no_metadata":      "/tenant-users/" + s.Membership(demo.Carol()).String(),
		"tenant_user_page":             "/tenant-users?sort=id&email=alice@demo.example&email=carol@demo.example",
	} {
		apitest.RequireGolden(t, ""+name, s.Get(200, demo.Carol(), apitest.ShapeA+path))
	}
}

// The ids are fixed where a test can choose them; random ones of the service
// are masked.
func TestBodiesOfProcessesAndTasksInShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := func(n int) string { return fmt.Sprintf("01970000-0000-7000-8000-%012d", n) }
	created := s.Post(201, demo.Alice(), apitest.ShapeA+"/processes", `{"id":"`+id(1)+`","subject":"Bridge 7",`+
		`"processDefinition":{"id":"`+demo.Inspection().String()+`"},"entity":{"data":{"z":1E22,"a":-0,"s":"<a> & b"}},`+
		`"elementValues":{"SCORE":[{"type":"NUMBER","value":1.50}],"REF":[{"valid":false,"type":"STRING","value":"é"}]},`+
		`"initiator":{"user":{"email":"carol@demo.example"}}}`)
	apitest.RequireGolden(t, "process", created.HidingRandomIDs())
	related := s.Post(201, demo.Alice(), "/processes", `{"id":"`+id(2)+`","processDefinitionId":"`+
		demo.Onboarding().String()+`","relatedProcessId":"`+id(1)+`"}`)
	require.Contains(t, related.Body, id(1))
	apitest.RequireGolden(t, "process_bare", s.Get(200, demo.Alice(), apitest.ShapeA+"/processes/"+id(2)).HidingRandomIDs())
	apitest.RequireGolden(t, "process_page", s.Get(200, demo.Alice(), apitest.ShapeA+"/processes?sort=id").HidingRandomIDs())

	s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/tasks", `{"id":"`+id(3)+`","processId":"`+id(1)+`",`+
		`"taskDefinition":{"code":"INSPECT"},"owner":{"user":{"id":"`+demo.Alice().ID.String()+`"}},`+
		`"jsonFormsValue":{"data":{"n":1.10}},"elementValues":{"NOTE":[{"type":"STRING","value":"N"}],`+
		`"RATING":[{"type":"STRING","value":"good"}],"REPORT":[{"type":"OBJECT","value":{"b":1,"a":[null]}}],`+
		`"INSPECTOR":[{"type":"PRINCIPAL","value":{"id":"`+demo.Bob().ID.String()+`","type":"USER"}}]}}`)
	s.UploadPhoto(demo.Alice(), uuid.MustParse(id(3)), "a photo", url.Values{"elementValueId": {id(4)}})
	s.Post(200, demo.Alice(), apitest.ShapeA+"/tasks/"+id(3)+"/~actions/append-log",
		`{"id":"`+id(5)+`","createdAt":"2026-01-02T03:04:05.006Z","message":"m","level":"WARN"}`)
	apitest.RequireGolden(t, "task", s.Get(200, demo.Alice(), apitest.ShapeA+"/tasks/"+id(3)).HidingRandomIDs())
	s.Post(201, demo.Alice(), apitest.ShapeA+"/tasks",
		`{"id":"`+id(6)+`","processId":"`+id(2)+`","taskDefinition":{"code":"CHECKLIST"}}`)
	apitest.RequireGolden(t, "task_bare", s.Get(200, demo.Alice(), apitest.ShapeA+"/tasks/"+id(6)).HidingRandomIDs())
	apitest.RequireGolden(t, "task_page", s.Get(200, demo.Alice(), apitest.ShapeA+"/tasks?sort=id").HidingRandomIDs())
	apitest.RequireGolden(t, "task_page_empty", s.Get(200, demo.Alice(), apitest.ShapeA+"/tasks?size=0"))
	s.Lists(demo.LoanWorker().ID, "q")
	apitest.RequireGolden(t, "worker", s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/workers",
		`{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1","workflowTypes":["W"]}`).HidingRandomIDs())
	apitest.RequireGolden(t, "authentication_token", s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/authentications",
		`{"type":"ENGINE"}`).HidingRandomIDs())
	apitest.RequireGolden(t, "authentication_certificate", s.Post(200, demo.LoanWorker(), apitest.ShapeA+"/authentications",
		`{"type":"ENGINE_CERTIFICATE"}`).HidingRandomIDs())
	apitest.RequireGolden(t, "error", refusedAnswer(s, 404, demo.Alice(), apitest.ShapeA+"/tasks/"+id(9)))
}

// refusedAnswer returns the answer to a request that is refused, without its time.
func refusedAnswer(s *apitest.Service, status int, as demo.Account, path string) apitest.Answer {
	s.T.Helper()
	got := s.Get(status, as, path)
	got.Body = got.Timeless()
	return got
}

// requireSameRecord requires the members that both shapes have to be equal in
// their answers.
func requireSameRecord(t *testing.T, inA, inB map[string]any) {
	t.Helper()
	if _, isTenantUser := inA["tenantId"]; isTenantUser {
		require.Equal(t, "TENANT_USER", inA["objectType"])
	}
	delete(inA, "objectType")
	if metadata, ok := inB["metadata"].(map[string]any); ok {
		delete(metadata, "errors")
	}
	require.Equal(t, inB, inA)
}

// For every caller, both shapes find the same records in the same order and
// with the same content.
func TestShapesAgreeOnIdentities(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.DescribeUsers()
	carol := demo.Carol()
	s.Join(&carol, demo.TenantOther())
	for _, as := range []demo.Account{carol, demo.Bob(), demo.Stranger(), demo.OtherWorker()} {
		for _, path := range []string{"/principals", "/tenant-users"} {
			compared := 0
			for _, query := range []string{
				"?sort=id", "?sort=id,desc&size=2&page=1", "?size=0", "?groupId=" + demo.Reviewers().String(),
				"?tenantId=" + demo.TenantOther().String(),
			} {
				a := s.Get(200, as, apitest.ShapeA+path+query)
				b := s.Get(200, as, apitest.ShapeB+path+query)
				found := apitest.Decode[apitest.Listed](t, a)
				require.Equal(t, apitest.Decode[apitest.Listed](t, b), found, query)
				for i, element := range apitest.Decode[struct{ Content []map[string]any }](t, a).Content {
					at := path + "/" + found.Content[i].ID.String()
					single := apitest.Decode[map[string]any](t, s.Get(200, as, apitest.ShapeA+at))
					require.Equal(t, single, element, "a page of Shape A has whole resources")
					requireSameRecord(t, single, apitest.Decode[map[string]any](t, s.Get(200, as, apitest.ShapeB+at)))
					compared++
				}
			}
			require.Positive(t, compared)
		}
	}
}

func TestPagesOfShapeAHaveAnObjectType(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for path, want := range map[string]string{"/principals": "PRINCIPAL_PAGE", "/tenant-users": "TENANT_USER_PAGE"} {
		for _, query := range []string{"", "?size=0", "?tenantId=" + uuid.NewString()} {
			page := apitest.Decode[map[string]json.RawMessage](t, s.Get(200, demo.Bob(), apitest.ShapeA+path+query))
			require.JSONEq(t, `"`+want+`"`, string(page["objectType"]))
			require.Len(t, page, 3)
		}
	}
}
