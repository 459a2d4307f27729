package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// Stand-ins in what requireMembers expects.
const (
	anyValue = "*"
	noMember = "-"
)

// requireMembers requires a body to have the members of the expected object.
// noMember requires that a member is absent, anyValue that it is present with
// any value. Additional members are allowed.
func requireMembers(t *testing.T, got answer, want object) {
	t.Helper()
	text, err := json.Marshal(want)
	require.NoError(t, err)
	requireSubset(t, decode[object](t, got), decode[object](t, answer{body: string(text)}), "")
}

func requireSubset(t *testing.T, got, want object, at string) {
	t.Helper()
	for name, expected := range want {
		at, value := at+"/"+name, got[name]
		switch expected := expected.(type) {
		case object:
			inner, ok := value.(object)
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

// first is the body of the first element of a list.
func (s *service) first(as demo.Account, path string) answer {
	s.t.Helper()
	content := decode[struct{ Content []json.RawMessage }](s.t, s.get(200, as, path)).Content
	require.NotEmpty(s.t, content, path)
	return answer{body: string(content[0])}
}

// byWhom adds the members of every stored resource.
func byWhom(createdBy, changedBy demo.Account, members object) object {
	audit := object{
		"createdBy": createdBy.ID.String(), "createdAt": anyValue, "lastModifiedBy": changedBy.ID.String(), "lastModifiedAt": anyValue,
	}
	maps.Copy(audit, members)
	return audit
}

// lacking is the expected object without members that only single resources have.
func lacking(whole object, names ...string) object {
	rest := maps.Clone(whole)
	for _, name := range names {
		rest[name] = noMember
	}
	return rest
}

func TestMembersOfIdentitiesInShapeB(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.describeUsers()
	alice, bob, worker := demo.Alice(), demo.Bob(), demo.LoanWorker()
	everyTime := object{"createdBy": anyValue, "createdAt": anyValue, "lastModifiedBy": anyValue, "lastModifiedAt": anyValue}
	none := object{"createdBy": noMember, "createdAt": noMember, "lastModifiedBy": noMember, "lastModifiedAt": noMember, "plan": noMember}

	tenant := object{"id": demo.TenantDemo().String(), "name": "Demo", "plan": "FREE"}
	maps.Copy(tenant, everyTime)
	requireMembers(t, s.get(200, bob, "/tenants/"+demo.TenantDemo().String()), tenant)
	maps.Copy(tenant, none)
	requireMembers(t, s.first(bob, "/tenants"), tenant)

	membership := s.membership(bob).String()
	user := object{
		"id": membership, "tenantId": demo.TenantDemo().String(), "metadata": object{
			"valid": false, "value": object{"ZIP": 7}, "errors": []object{{"propertyPath": "/ZIP", "type": "type"}},
		},
		"principal": object{"id": bob.ID.String(), "type": "USER", "name": "Bob", "user": object{"email": bob.Email}},
	}
	maps.Copy(user, everyTime)
	requireMembers(t, s.get(200, alice, "/tenant-users/"+membership), user)
	listed := lacking(user, "metadata", "principal")
	listed["principalId"] = bob.ID.String()
	requireMembers(t, s.first(alice, "/tenant-users?email="+bob.Email), listed)

	for filter, principal := range map[string]object{
		"type=USER&sort=name": {
			"id": alice.ID.String(), "type": "USER", "name": "Alice",
			"user": object{"id": alice.ID.String(), "email": alice.Email}, "application": noMember,
		},
		"type=APPLICATION&sort=name": {
			"id": worker.ID.String(), "type": "APPLICATION", "name": "loan-worker",
			"application": object{"id": worker.ID.String()}, "user": noMember,
		},
	} {
		listed := s.first(bob, "/principals?"+filter)
		requireMembers(t, listed, lacking(principal, "user", "application"))
		requireMembers(t, s.get(200, bob, "/principals/"+decode[struct{ ID string }](t, listed).ID), principal)
	}
}

func TestMembersOfProcessesInShapeB(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice, carol := demo.Alice(), demo.Carol()
	origin, id := s.loan().ID.String(), uuid.NewString()
	body := `{"id":"` + id + `","processDefinitionId":"` + demo.Loan().String() + `","tenantId":"` + demo.TenantDemo().String() +
		`","metadata":{"value":{"FIRST_NAME":5}},"entity":{"value":{"A":1}},"initiatorEmail":"carol@demo.example","relatedProcessId":"` + origin + `"}`
	created := s.post(201, alice, "/processes", body)
	want := byWhom(alice, alice, object{
		"id": id, "state": "RUNNING", "tenantId": demo.TenantDemo().String(), "initiatorId": carol.ID.String(),
		"processDefinitionRef": object{"id": demo.Loan().String(), "version": anyValue, "code": "LOAN"},
		"metadata": object{
			"valid": false, "value": object{"FIRST_NAME": 5}, "errors": []object{{"propertyPath": "/FIRST_NAME", "type": "type"}},
		},
		"entity":         object{"valid": true, "value": object{"A": 1}, "errors": noMember},
		"processRelated": object{"incoming": []string{origin}, "outcoming": []string{}},
	})
	requireMembers(t, created, want)
	requireMembers(t, s.get(200, alice, "/processes/"+id), want)
	requireMembers(t, s.first(alice, "/processes?sort=createdAt,desc"), lacking(want, "metadata", "entity", "processRelated"))
	// The initiator defaults to the caller.
	requireMembers(t, s.post(201, alice, "/processes", `{"processDefinitionCode":"LOAN","initiatorId":"`+demo.Bob().ID.String()+`"}`),
		object{"initiatorId": demo.Bob().ID.String()})
	requireMembers(t, s.post(201, alice, "/processes", `{"processDefinitionCode":"LOAN"}`), object{"initiatorId": alice.ID.String()})
}

func TestMembersOfProcessItemsInShapeB(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice, worker := demo.Alice(), demo.LoanWorker()
	process := s.process(alice, s.claims()).ID.String()
	item := func(of, code string, more object) object {
		common := object{
			"id": anyValue, "type": of, "processId": process, "tenantId": demo.TenantDemo().String(),
			"processItemDefinitionRef": object{"id": anyValue, "version": anyValue, "code": code},
		}
		maps.Copy(common, more)
		return common
	}
	invalid := object{
		"valid": false, "value": object{"OK": "no"}, "errors": []object{{"propertyPath": "/OK", "type": "type"}},
	}
	created := s.post(201, worker, "/process-items", `{"type":"TASK","processId":"`+process+`","processItemDefinitionCode":"CHECK",`+
		`"ownerEmail":"alice@demo.example","task":{"data":{"value":{"OK":"no"}},"contextData":{"value":{"AGE":7}}}}`)
	path := "/process-items/" + decode[struct{ ID string }](t, created).ID
	requireMembers(t, s.post(200, alice, path+"/task/~actions/append-log", `{"message":"m","level":"WARN"}`), item("TASK", "CHECK",
		byWhom(worker, alice, object{
			"ownerId": alice.ID.String(), "message": noMember,
			"task": object{"state": "CLAIMED", "data": invalid, "contextData": object{"valid": true, "value": object{"AGE": 7}}},
		})))
	log := decode[struct{ Task struct{ Logs []object } }](t, s.get(200, alice, path)).Task.Logs
	require.Len(t, log, 1)
	requireSubset(t, log[0], object{"id": anyValue, "timestamp": anyValue, "message": "m", "level": "WARN"}, "/logs/0")
	requireMembers(t, s.first(alice, "/process-items"), item("TASK", "CHECK", byWhom(worker, alice, object{
		"ownerId": alice.ID.String(), "message": noMember,
		"task": object{"state": "CLAIMED", "data": noMember, "contextData": noMember, "logs": noMember},
	})))

	message := object{"text": "t", "dataStructureDataDefinitionCode": "ADDRESS", "data": object{"valid": true, "value": object{"CITY": "A"}}}
	path = "/process-items/" + decode[struct{ ID string }](t, s.post(201, alice, "/process-items", newMessage(uuid.MustParse(process),
		`"text":"t","data":{"value":{"CITY":"A"}},"dataStructureDataDefinitionCode":"ADDRESS"`))).ID
	requireMembers(t, s.get(200, alice, path), item("MESSAGE", "NOTE", object{"message": message, "task": noMember, "ownerId": noMember}))
	requireMembers(t, s.first(alice, "/process-items?type=MESSAGE"), item("MESSAGE", "NOTE", object{
		"message": lacking(message, "data"), "task": noMember,
	}))
	requireMembers(t, s.post(201, alice, "/process-items", `{"type":"THREAD","processId":"`+process+`","processItemDefinitionCode":"TALK"}`),
		item("THREAD", "TALK", object{"message": noMember, "task": noMember}))
}

// An item that is created with a document of another process has a copy of it.
func TestItemsAreCreatedWithCopiesOfDocuments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	from, to := s.loan().ID, s.loan().ID
	original := s.upload(demo.LoanWorker(), processPath(from, ""), "text")
	task := s.item(to, "LOAN_APPLICATION", `,"task":{"data":{"value":{"ATTACHMENT":"`+original+`"}}}`)
	var data struct{ Attachment string }
	require.NoError(t, json.Unmarshal(task.Task.Data.Value, &data))
	require.NotEqual(t, documentOf(t, original), documentOf(t, data.Attachment))
	s.requireKept(data.Attachment)
	require.Equal(t, "text", s.download(demo.LoanWorker(), processPath(to, ""), data.Attachment))
}

func TestMembersOfBusinessArtifacts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	want := byWhom(worker, worker, object{
		"id": anyValue, "tenantId": demo.TenantDemo().String(),
		"businessArtifactDefinitionRef": object{"id": customers().String(), "code": "CUSTOMER"},
		"data": object{
			"valid": false, "value": object{"name": 7}, "errors": []object{{"propertyPath": "/name", "type": "type"}},
		},
	})
	id := s.customer(`{"name":7}`).ID
	requireMembers(t, s.get(200, worker, artifactPath(id, "")), want)
	requireMembers(t, s.first(worker, "/business-artifacts"), lacking(want, "data"))
	byCode := s.post(201, worker, "/business-artifacts", `{"tenantId":"`+demo.TenantDemo().String()+
		`","businessArtifactDefinitionCode":"CUSTOMER","data":{"value":{"name":7}}}`)
	requireMembers(t, byCode, want)
}

func TestMembersOfWorkersAndAuthentications(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker, robot, installation := demo.LoanWorker(), demo.Robot().String(), uuid.NewString()
	tenant := demo.TenantDemo().String()
	const queue = "QUEUE_SAMPLE_LOAN"
	for i, base := range []string{shapeA, shapeB} {
		identity := fmt.Sprint("w-", i)
		requireMembers(t, s.post(201, worker, base+"/workers", `{"identity":"`+identity+`","taskQueue":"`+queue+`","workflowTypes":["W"],`+
			`"activityTypes":["A"],"hostname":"h","ip":"127.0.0.1","installationId":"`+installation+`","robotIds":["`+robot+`"],"tenantId":"`+
			tenant+`"}`), byWhom(worker, worker, object{
			"id": anyValue, "identity": identity, "taskQueue": queue, "workflowTypes": []string{"W"}, "activityTypes": []string{"A"},
			"hostname": "h", "ip": "127.0.0.1", "installationId": installation, "robotIds": []string{robot}, "tenantId": tenant,
		}))
		for kind, more := range map[string]object{
			"ENGINE_TOKEN": {"engineToken": object{"token": anyValue, "expiredAt": anyValue}, "engineCertificate": noMember},
			"ENGINE_CERTIFICATE": {"engineToken": noMember, "engineCertificate": object{"namespace": "demo", "tls": object{
				"serverRootCaCertificate": anyValue, "clientCertificate": anyValue, "clientPrivateKey": anyValue,
			}}},
		} {
			maps.Copy(more, object{"id": anyValue, "type": kind, "tenantId": tenant})
			requireMembers(t, s.post(200, worker, base+"/authentications", `{"type":"`+kind+`"}`), byWhom(worker, worker, more))
		}
	}
	// The type ENGINE is one of Shape A.
	r := request(t, worker, http.MethodPost, "/authentications", `{"type":"ENGINE"}`)
	require.Contains(t, s.refusedBy(r).Errors[0].Location, "/type")
}

// Every way to name a principal in a body leads to the same principal in both
// shapes, for applications too.
func TestPrincipalsInBodies(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice := demo.Alice()
	process := s.process(alice, s.surveys()).ID
	task := s.item(process, "VISIT", "").ID
	for _, c := range []struct {
		path, byID, byMail string
		named              func(id string) object
	}{
		{processPathA(process, changeInitiator), "principalId", "email", func(id string) object { return object{"initiator": object{"id": id}} }},
		{processPath(process, changeInitiator), "initiatorId", "initiatorEmail", func(id string) object { return object{"initiatorId": id} }},
		{taskPathA(task, "/~actions/assign"), "principalId", "email", func(id string) object { return object{"owner": object{"id": id}} }},
		{itemPath(task, assign), "ownerId", "ownerEmail", func(id string) object { return object{"ownerId": id} }},
	} {
		for body, who := range map[string]demo.Account{
			`{"` + c.byID + `":"` + demo.Bob().ID.String() + `"}`:      demo.Bob(),
			`{"` + c.byMail + `":"BOB@demo.example"}`:                  demo.Bob(),
			`{"` + c.byID + `":"` + demo.Stranger().ID.String() + `"}`: demo.Stranger(),
		} {
			got := decode[object](t, s.post(200, alice, c.path, body))
			requireSubset(t, got, c.named(who.ID.String()), c.path+" "+body)
		}
		failure := s.refusedBy(request(t, alice, http.MethodPost, c.path, `{}`))
		require.Equal(t, "/"+c.byID, failure.Errors[0].Location)
	}
}
