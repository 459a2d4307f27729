package shapeb_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// Placeholders in the expectations of requireMembers.
const (
	anyValue = "*"
	noMember = "-"
)

// requireMembers requires a body to have the members of the expected object.
// noMember requires that a member is absent, anyValue that it is present with
// any value. Additional members are allowed.
func requireMembers(t *testing.T, got apitest.Answer, want map[string]any) {
	t.Helper()
	text, err := json.Marshal(want)
	require.NoError(t, err)
	requireSubset(t, apitest.Decode[map[string]any](t, got), apitest.Decode[map[string]any](t, apitest.Answer{Body: string(text)}), "")
}

func requireSubset(t *testing.T, got, want map[string]any, at string) {
	t.Helper()
	for name, expected := range want {
		at, value := at+"/"+name, got[name]
		switch expected := expected.(type) {
		case map[string]any:
			inner, ok := value.(map[string]any)
			require.True(t, ok, at)
			requireSubset(t, inner, expected, at)
		case string:
			switch expected {
			case noMember:
				require.NotContains(t, got, name, at)
			case anyValue:
				require.NotEmpty(t, value, at)
			default:
				require.Equal(t, expected, value, at)
			}
		default:
			require.Equal(t, expected, value, at)
		}
	}
}

// first returns the body of the first element of a list.
func first(s *apitest.Service, as demo.Account, path string) apitest.Answer {
	s.T.Helper()
	content := apitest.Decode[struct{ Content []json.RawMessage }](s.T, s.Get(200, as, path)).Content
	require.NotEmpty(s.T, content, path)
	return apitest.Answer{Body: string(content[0])}
}

// byWhom adds the members of every stored resource.
func byWhom(createdBy, changedBy demo.Account, members map[string]any) map[string]any {
	audit := map[string]any{
		"createdBy": createdBy.ID.String(), "createdAt": anyValue, "lastModifiedBy": changedBy.ID.String(), "lastModifiedAt": anyValue,
	}
	maps.Copy(audit, members)
	return audit
}

// withoutMembers returns the expected object without members that only single resources have.
func withoutMembers(whole map[string]any, names ...string) map[string]any {
	rest := maps.Clone(whole)
	for _, name := range names {
		rest[name] = noMember
	}
	return rest
}

func TestMembersOfIdentitiesInShapeB(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.DescribeUsers()
	alice, bob, worker := demo.Alice(), demo.Bob(), demo.LoanWorker()
	everyTime := map[string]any{"createdBy": anyValue, "createdAt": anyValue, "lastModifiedBy": anyValue, "lastModifiedAt": anyValue}
	none := map[string]any{"createdBy": noMember, "createdAt": noMember, "lastModifiedBy": noMember, "lastModifiedAt": noMember, "plan": noMember}

	tenant := map[string]any{"id": demo.TenantDemo().String(), "name": "Demo", "plan": "FREE"}
	maps.Copy(tenant, everyTime)
	requireMembers(t, s.Get(200, bob, "/tenants/"+demo.TenantDemo().String()), tenant)
	maps.Copy(tenant, none)
	requireMembers(t, first(s, bob, "/tenants"), tenant)

	membership := s.Membership(bob).String()
	user := map[string]any{
		"id": membership, "tenantId": demo.TenantDemo().String(), "metadata": map[string]any{
			"valid": false, "value": map[string]any{"ZIP": 7}, "errors": []map[string]any{{"propertyPath": "/ZIP", "type": "type"}},
		},
		"principal": map[string]any{"id": bob.ID.String(), "type": "USER", "name": "Bob", "user": map[string]any{"email": bob.Email}},
	}
	maps.Copy(user, everyTime)
	requireMembers(t, s.Get(200, alice, "/tenant-users/"+membership), user)
	listed := withoutMembers(user, "metadata", "principal")
	listed["principalId"] = bob.ID.String()
	requireMembers(t, first(s, alice, "/tenant-users?email="+bob.Email), listed)

	for filter, principal := range map[string]map[string]any{
		"type=USER&sort=name": {
			"id": alice.ID.String(), "type": "USER", "name": "Alice",
			"user": map[string]any{"id": alice.ID.String(), "email": alice.Email}, "application": noMember,
		},
		"type=APPLICATION&sort=name": {
			"id": worker.ID.String(), "type": "APPLICATION", "name": "loan-worker",
			"application": map[string]any{"id": worker.ID.String()}, "user": noMember,
		},
	} {
		listed := first(s, bob, "/principals?"+filter)
		requireMembers(t, listed, withoutMembers(principal, "user", "application"))
		requireMembers(t, s.Get(200, bob, "/principals/"+apitest.Decode[struct{ ID string }](t, listed).ID), principal)
	}
}

func TestMembersOfProcessesInShapeB(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alice, carol := demo.Alice(), demo.Carol()
	origin, id := s.Loan().ID.String(), uuid.NewString()
	body := `{"id":"` + id + `","processDefinitionId":"` + demo.Loan().String() + `","tenantId":"` + demo.TenantDemo().String() +
		`","metadata":{"value":{"FIRST_NAME":5}},"entity":{"value":{"A":1}},"initiatorEmail":"carol@demo.example","relatedProcessId":"` + origin + `"}`
	created := s.Post(201, alice, "/processes", body)
	want := byWhom(alice, alice, map[string]any{
		"id": id, "state": "RUNNING", "tenantId": demo.TenantDemo().String(), "initiatorId": carol.ID.String(),
		"processDefinitionRef": map[string]any{"id": demo.Loan().String(), "version": anyValue, "code": "LOAN"},
		"metadata": map[string]any{
			"valid": false, "value": map[string]any{"FIRST_NAME": 5}, "errors": []map[string]any{{"propertyPath": "/FIRST_NAME", "type": "type"}},
		},
		"entity":         map[string]any{"valid": true, "value": map[string]any{"A": 1}, "errors": noMember},
		"processRelated": map[string]any{"incoming": []string{origin}, "outcoming": []string{}},
	})
	requireMembers(t, created, want)
	requireMembers(t, s.Get(200, alice, "/processes/"+id), want)
	requireMembers(t, first(s, alice, "/processes?sort=createdAt,desc"), withoutMembers(want, "metadata", "entity", "processRelated"))
	// The initiator defaults to the caller.
	requireMembers(t, s.Post(201, alice, "/processes", `{"processDefinitionCode":"LOAN","initiatorId":"`+demo.Bob().ID.String()+`"}`),
		map[string]any{"initiatorId": demo.Bob().ID.String()})
	requireMembers(t, s.Post(201, alice, "/processes", `{"processDefinitionCode":"LOAN"}`), map[string]any{"initiatorId": alice.ID.String()})
}

func TestMembersOfProcessItemsInShapeB(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alice, worker := demo.Alice(), demo.LoanWorker()
	process := s.Process(alice, claims(s)).ID.String()
	item := func(of, code string, more map[string]any) map[string]any {
		common := map[string]any{
			"id": anyValue, "type": of, "processId": process, "tenantId": demo.TenantDemo().String(),
			"processItemDefinitionRef": map[string]any{"id": anyValue, "version": anyValue, "code": code},
		}
		maps.Copy(common, more)
		return common
	}
	invalid := map[string]any{
		"valid": false, "value": map[string]any{"OK": "no"}, "errors": []map[string]any{{"propertyPath": "/OK", "type": "type"}},
	}
	created := s.Post(201, worker, "/process-items", `{"type":"TASK","processId":"`+process+`","processItemDefinitionCode":"CHECK",`+
		`"ownerEmail":"alice@demo.example","task":{"data":{"value":{"OK":"no"}},"contextData":{"value":{"AGE":7}}}}`)
	path := "/process-items/" + apitest.Decode[struct{ ID string }](t, created).ID
	requireMembers(t, s.Post(200, alice, path+"/task/~actions/append-log", `{"message":"m","level":"WARN"}`), item("TASK", "CHECK",
		byWhom(worker, alice, map[string]any{
			"ownerId": alice.ID.String(), "message": noMember,
			"task": map[string]any{"state": "CLAIMED", "data": invalid, "contextData": map[string]any{"valid": true, "value": map[string]any{"AGE": 7}}},
		})))
	log := apitest.Decode[struct {
		Task struct{ Logs []map[string]any }
	}](t, s.Get(200, alice, path)).Task.Logs
	require.Len(t, log, 1)
	requireSubset(t, log[0], map[string]any{"id": anyValue, "timestamp": anyValue, "message": "m", "level": "WARN"}, "/logs/0")
	requireMembers(t, first(s, alice, "/process-items"), item("TASK", "CHECK", byWhom(worker, alice, map[string]any{
		"ownerId": alice.ID.String(), "message": noMember,
		"task": map[string]any{"state": "CLAIMED", "data": noMember, "contextData": noMember, "logs": noMember},
	})))

	message := map[string]any{"text": "t", "dataStructureDataDefinitionCode": "ADDRESS", "data": map[string]any{"valid": true, "value": map[string]any{"CITY": "A"}}}
	path = "/process-items/" + apitest.Decode[struct{ ID string }](t, s.Post(201, alice, "/process-items", newMessage(uuid.MustParse(process),
		`"text":"t","data":{"value":{"CITY":"A"}},"dataStructureDataDefinitionCode":"ADDRESS"`))).ID
	requireMembers(t, s.Get(200, alice, path), item("MESSAGE", "NOTE", map[string]any{"message": message, "task": noMember, "ownerId": noMember}))
	requireMembers(t, first(s, alice, "/process-items?type=MESSAGE"), item("MESSAGE", "NOTE", map[string]any{
		"message": withoutMembers(message, "data"), "task": noMember,
	}))
	requireMembers(t, s.Post(201, alice, "/process-items", `{"type":"THREAD","processId":"`+process+`","processItemDefinitionCode":"TALK"}`),
		item("THREAD", "TALK", map[string]any{"message": noMember, "task": noMember}))
}

// An item that is created with a document of another process has a copy of it.
func TestItemsAreCreatedWithCopiesOfDocuments(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	from, to := s.Loan().ID, s.Loan().ID
	original := s.Upload(demo.LoanWorker(), apitest.ProcessPath(from, ""), "text")
	task := s.Item(to, "LOAN_APPLICATION", `,"task":{"data":{"value":{"ATTACHMENT":"`+original+`"}}}`)
	var data struct{ Attachment string }
	require.NoError(t, json.Unmarshal(task.Task.Data.Value, &data))
	require.NotEqual(t, apitest.DocumentOf(t, original), apitest.DocumentOf(t, data.Attachment))
	s.RequireKept(data.Attachment)
	require.Equal(t, "text", s.Download(demo.LoanWorker(), apitest.ProcessPath(to, ""), data.Attachment))
}

func TestMembersOfBusinessArtifacts(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	want := byWhom(worker, worker, map[string]any{
		"id": anyValue, "tenantId": demo.TenantDemo().String(),
		"businessArtifactDefinitionRef": map[string]any{"id": apitest.Customers().String(), "code": "CUSTOMER"},
		"data": map[string]any{
			"valid": false, "value": map[string]any{"name": 7}, "errors": []map[string]any{{"propertyPath": "/name", "type": "type"}},
		},
	})
	id := s.Customer(`{"name":7}`).ID
	requireMembers(t, s.Get(200, worker, apitest.ArtifactPath(id, "")), want)
	requireMembers(t, first(s, worker, "/business-artifacts"), withoutMembers(want, "data"))
	byCode := s.Post(201, worker, "/business-artifacts", `{"tenantId":"`+demo.TenantDemo().String()+
		`","businessArtifactDefinitionCode":"CUSTOMER","data":{"value":{"name":7}}}`)
	requireMembers(t, byCode, want)
}

func TestMembersOfWorkersAndAuthentications(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker, robot, installation := demo.LoanWorker(), demo.Robot().String(), uuid.NewString()
	tenant := demo.TenantDemo().String()
	const queue = "QUEUE_SAMPLE_LOAN"
	for i, base := range []string{apitest.ShapeA, apitest.ShapeB} {
		identity := fmt.Sprint("w-", i)
		requireMembers(t, s.Post(201, worker, base+"/workers", `{"identity":"`+identity+`","taskQueue":"`+queue+`","workflowTypes":["W"],`+
			`"activityTypes":["A"],"hostname":"h","ip":"127.0.0.1","installationId":"`+installation+`","robotIds":["`+robot+`"],"tenantId":"`+
			tenant+`"}`), byWhom(worker, worker, map[string]any{
			"id": anyValue, "identity": identity, "taskQueue": queue, "workflowTypes": []string{"W"}, "activityTypes": []string{"A"},
			"hostname": "h", "ip": "127.0.0.1", "installationId": installation, "robotIds": []string{robot}, "tenantId": tenant,
		}))
		for kind, more := range map[string]map[string]any{
			"ENGINE_TOKEN": {"engineToken": map[string]any{"token": anyValue, "expiredAt": anyValue}, "engineCertificate": noMember},
			"ENGINE_CERTIFICATE": {"engineToken": noMember, "engineCertificate": map[string]any{"namespace": "demo", "tls": map[string]any{
				"serverRootCaCertificate": anyValue, "clientCertificate": anyValue, "clientPrivateKey": anyValue,
			}}},
		} {
			maps.Copy(more, map[string]any{"id": anyValue, "type": kind, "tenantId": tenant})
			requireMembers(t, s.Post(200, worker, base+"/authentications", `{"type":"`+kind+`"}`), byWhom(worker, worker, more))
		}
	}
	// The type ENGINE is one of Shape A.
	r := apitest.Request(t, worker, http.MethodPost, "/authentications", `{"type":"ENGINE"}`)
	require.Contains(t, s.RefusedBy(r).Errors[0].Location, "/type")
}

// Every way to name a principal in a body leads to the same principal in both
// shapes, for applications too.
func TestPrincipalsInBodies(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alice := demo.Alice()
	process := s.Process(alice, s.Surveys()).ID
	task := s.Item(process, "VISIT", "").ID
	for _, c := range []struct {
		path, byID, byMail string
		named              func(id string) map[string]any
	}{
		{apitest.ProcessPathA(process, apitest.ChangeInitiator), "principalId", "email", func(id string) map[string]any { return map[string]any{"initiator": map[string]any{"id": id}} }},
		{apitest.ProcessPath(process, apitest.ChangeInitiator), "initiatorId", "initiatorEmail", func(id string) map[string]any { return map[string]any{"initiatorId": id} }},
		{apitest.TaskPathA(task, "/~actions/assign"), "principalId", "email", func(id string) map[string]any { return map[string]any{"owner": map[string]any{"id": id}} }},
		{apitest.ItemPath(task, apitest.Assign), "ownerId", "ownerEmail", func(id string) map[string]any { return map[string]any{"ownerId": id} }},
	} {
		for body, who := range map[string]demo.Account{
			`{"` + c.byID + `":"` + demo.Bob().ID.String() + `"}`:      demo.Bob(),
			`{"` + c.byMail + `":"BOB@demo.example"}`:                  demo.Bob(),
			`{"` + c.byID + `":"` + demo.Stranger().ID.String() + `"}`: demo.Stranger(),
		} {
			got := apitest.Decode[map[string]any](t, s.Post(200, alice, c.path, body))
			requireSubset(t, got, c.named(who.ID.String()), c.path+" "+body)
		}
		failure := s.RefusedBy(apitest.Request(t, alice, http.MethodPost, c.path, `{}`))
		require.Equal(t, "/"+c.byID, failure.Errors[0].Location)
	}
}
