package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// keep stores the metadata of a tenant user, and their errors as JSON.
func (s *service) keep(membership uuid.UUID, metadata string, valid bool, problems *string) {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	_, err := conn.Exec(s.t.Context(),
		`UPDATE tenant_users SET metadata = $2, metadata_valid = $3, metadata_errors = $4 WHERE id = $1`,
		membership, metadata, valid, problems)
	require.NoError(s.t, err)
}

// describeUsers gives Alice valid metadata and Bob metadata with an error; Carol
// has none.
func (s *service) describeUsers() {
	s.t.Helper()
	s.keep(s.membership(demo.Alice()), `{"ZIP":"01067","LIMIT":1E22,"NOTE":"<a> & b","DAYS":[1.10,null]}`, true, nil)
	s.keep(s.membership(demo.Bob()), `{"ZIP":7}`, false, new(`[{"propertyPath":"/ZIP","type":"type"}]`))
}

func TestBodiesOfShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.describeUsers()
	for name, path := range map[string]string{
		"principal_user":               "/principals/" + demo.Alice().ID.String(),
		"principal_application":        "/principals/" + demo.LoanWorker().ID.String(),
		"principal_system":             "/principals/" + domain.SystemPrincipalID().String(),
		"principal_page":               "/principals?size=2&sort=name",
		"principal_page_empty":         "/principals?size=0",
		"tenant_user":                  "/tenant-users/" + s.membership(demo.Alice()).String(),
		"tenant_user_invalid_metadata": "/tenant-users/" + s.membership(demo.Bob()).String(),
		"tenant_user_no_metadata":      "/tenant-users/" + s.membership(demo.Carol()).String(),
		"tenant_user_page":             "/tenant-users?sort=id&email=alice@demo.example&email=carol@demo.example",
	} {
		requireGolden(t, "shape_a/"+name, s.get(200, demo.Carol(), shapeA+path))
	}
}

// The ids are fixed where a test can choose them; random ones of the service
// are masked.
func TestBodiesOfProcessesAndTasksInShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := func(n int) string { return fmt.Sprintf("01970000-0000-7000-8000-%012d", n) }
	created := s.post(201, demo.Alice(), shapeA+"/processes", `{"id":"`+id(1)+`","subject":"Bridge 7",`+
		`"processDefinition":{"id":"`+demo.Inspection().String()+`"},"entity":{"data":{"z":1E22,"a":-0,"s":"<a> & b"}},`+
		`"elementValues":{"SCORE":[{"type":"NUMBER","value":1.50}],"REF":[{"valid":false,"type":"STRING","value":"é"}]},`+
		`"initiator":{"user":{"email":"carol@demo.example"}}}`)
	requireGolden(t, "shape_a/process", created.hidingRandomIDs())
	related := s.post(201, demo.Alice(), "/processes", `{"id":"`+id(2)+`","processDefinitionId":"`+
		demo.Onboarding().String()+`","relatedProcessId":"`+id(1)+`"}`)
	require.Contains(t, related.body, id(1))
	requireGolden(t, "shape_a/process_bare", s.get(200, demo.Alice(), shapeA+"/processes/"+id(2)).hidingRandomIDs())
	requireGolden(t, "shape_a/process_page", s.get(200, demo.Alice(), shapeA+"/processes?sort=id").hidingRandomIDs())

	s.post(201, demo.LoanWorker(), shapeA+"/tasks", `{"id":"`+id(3)+`","processId":"`+id(1)+`",`+
		`"taskDefinition":{"code":"INSPECT"},"owner":{"user":{"id":"`+demo.Alice().ID.String()+`"}},`+
		`"jsonFormsValue":{"data":{"n":1.10}},"elementValues":{"NOTE":[{"type":"STRING","value":"N"}],`+
		`"RATING":[{"type":"STRING","value":"good"}],"REPORT":[{"type":"OBJECT","value":{"b":1,"a":[null]}}],`+
		`"INSPECTOR":[{"type":"PRINCIPAL","value":{"id":"`+demo.Bob().ID.String()+`","type":"USER"}}]}}`)
	s.uploadPhoto(demo.Alice(), uuid.MustParse(id(3)), "a photo", url.Values{"elementValueId": {id(4)}})
	s.post(200, demo.Alice(), shapeA+"/tasks/"+id(3)+"/~actions/append-log",
		`{"id":"`+id(5)+`","createdAt":"2026-01-02T03:04:05.006Z","message":"m","level":"WARN"}`)
	requireGolden(t, "shape_a/task", s.get(200, demo.Alice(), shapeA+"/tasks/"+id(3)).hidingRandomIDs())
	s.post(201, demo.Alice(), shapeA+"/tasks",
		`{"id":"`+id(6)+`","processId":"`+id(2)+`","taskDefinition":{"code":"CHECKLIST"}}`)
	requireGolden(t, "shape_a/task_bare", s.get(200, demo.Alice(), shapeA+"/tasks/"+id(6)).hidingRandomIDs())
	requireGolden(t, "shape_a/task_page", s.get(200, demo.Alice(), shapeA+"/tasks?sort=id").hidingRandomIDs())
	requireGolden(t, "shape_a/task_page_empty", s.get(200, demo.Alice(), shapeA+"/tasks?size=0"))
	s.lists(demo.LoanWorker().ID, "q")
	requireGolden(t, "shape_a/worker", s.post(201, demo.LoanWorker(), shapeA+"/workers",
		`{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1","workflowTypes":["W"]}`).hidingRandomIDs())
	requireGolden(t, "shape_a/authentication_token", s.post(200, demo.LoanWorker(), shapeA+"/authentications",
		`{"type":"ENGINE"}`).hidingRandomIDs())
	requireGolden(t, "shape_a/authentication_certificate", s.post(200, demo.LoanWorker(), shapeA+"/authentications",
		`{"type":"ENGINE_CERTIFICATE"}`).hidingRandomIDs())
	requireGolden(t, "shape_a/error", s.refusedAnswer(404, demo.Alice(), shapeA+"/tasks/"+id(9)))
}

// refusedAnswer is the answer to a request that is refused, without its time.
func (s *service) refusedAnswer(status int, as demo.Account, path string) answer {
	s.t.Helper()
	got := s.get(status, as, path)
	got.body = got.timeless()
	return got
}

var randomID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

var instant = regexp.MustCompile(`"(createdAt|lastModifiedAt|expiredAt)":"2026-03-02T1[01]:30:[^"]*Z"`)

var secret = regexp.MustCompile(`"(token|serverRootCaCertificate|clientCertificate|clientPrivateKey)":"[^"]*"`)

// hidingRandomIDs masks the parts of an answer that differ between runs: random
// ids, fractions of seconds and secrets.
func (a answer) hidingRandomIDs() answer {
	a.body = randomID.ReplaceAllStringFunc(a.body, func(id string) string {
		if strings.HasPrefix(id, "01970000-") {
			return id
		}
		return "00000000-0000-0000-0000-000000000000"
	})
	a.body = instant.ReplaceAllString(a.body, `"$1":"2026-03-02T10:30:00.001Z"`)
	a.body = secret.ReplaceAllString(a.body, `"$1":""`)
	return a
}

type object = map[string]any

// requireSameRecord requires the members that both shapes have to be equal in
// their answers.
func requireSameRecord(t *testing.T, inA, inB object) {
	t.Helper()
	if _, isTenantUser := inA["tenantId"]; isTenantUser {
		require.Equal(t, "TENANT_USER", inA["objectType"])
	}
	delete(inA, "objectType")
	if metadata, ok := inB["metadata"].(object); ok {
		delete(metadata, "errors")
	}
	require.Equal(t, inB, inA)
}

// For every caller, both shapes find the same records in the same order and
// with the same content.
func TestShapesAgreeOnIdentities(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.describeUsers()
	carol := demo.Carol()
	s.join(&carol, demo.TenantOther())
	for _, as := range []demo.Account{carol, demo.Bob(), demo.Stranger(), demo.OtherWorker()} {
		for _, path := range []string{"/principals", "/tenant-users"} {
			compared := 0
			for _, query := range []string{
				"?sort=id", "?sort=id,desc&size=2&page=1", "?size=0", "?groupId=" + demo.Reviewers().String(),
				"?tenantId=" + demo.TenantOther().String(),
			} {
				a := s.get(200, as, shapeA+path+query)
				b := s.get(200, as, shapeB+path+query)
				found := decode[listed](t, a)
				require.Equal(t, decode[listed](t, b), found, query)
				for i, element := range decode[struct{ Content []object }](t, a).Content {
					at := path + "/" + found.Content[i].ID.String()
					single := decode[object](t, s.get(200, as, shapeA+at))
					require.Equal(t, single, element, "a page of Shape A has whole resources")
					requireSameRecord(t, single, decode[object](t, s.get(200, as, shapeB+at)))
					compared++
				}
			}
			require.Positive(t, compared)
		}
	}
}

func TestPagesOfShapeASayWhatTheyAre(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, want := range map[string]string{"/principals": "PRINCIPAL_PAGE", "/tenant-users": "TENANT_USER_PAGE"} {
		for _, query := range []string{"", "?size=0", "?tenantId=" + uuid.NewString()} {
			page := decode[map[string]json.RawMessage](t, s.get(200, demo.Bob(), shapeA+path+query))
			require.JSONEq(t, `"`+want+`"`, string(page["objectType"]))
			require.Len(t, page, 3)
		}
	}
}
