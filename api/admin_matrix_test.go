package api_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// adminMatrix holds the answer of every operation of the administration API to
// every caller, like matrix. The callers belong to the tenant north, but for
// "other", who owns south. A definer is an administrator of the process
// definition LOAN.
const adminMatrix = `
operation               owner administrator definer manager viewer candidate initiator worker stranger other anonymous foreign
applyResources          200   200           200     403     403    403       403       403    403      200   401       400
apply_GROUP             200   200           403     403     403    403       403       403    403      200   401       400
apply_TENANT            200   403           403     403     403    403       403       403    403      200   401       400
findResources           200+  200+          200+    200-    200-   200-      200-      200-   200-     200+  401       200-
find_GROUPS             200+  200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-
retrieveResource        200   200           200     404     404    404       404       404    404      200   401       404
retrieve_GROUP          200   200           404     404     404    404       404       404    404      200   401       404
deleteResource          204   204           403     404     404    404       404       404    404      204   401       404
delete_GROUP            204   204           404     404     404    404       404       404    404      204   401       404
findDefinitionVersions  200   200           200     404     404    404       404       404    404      200   401       404
retrieveDefinitionVersion 200 200           200     404     404    404       404       404    404      200   401       404
findPastRights          200   200           200     404     404    404       404       404    404      200   401       404
findRights              200+  200+          200+    404     404    404       404       404    404      200+  401       404
exportRights            200   200           200     404     404    404       404       404    404      200   401       404

findSecrets             200   200           404     404     404    404       404       404    404      200   401       404
issueSecret             201   201           404     404     404    404       404       404    404      201   401       404
revokeSecret            204   204           404     404     404    404       404       404    404      204   401       404
findDirectoryTokens     200+  200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-
issueDirectoryToken     201   403           404     404     404    404       404       404    404      201   401       404
revokeDirectoryToken    204   403           404     404     404    404       404       404    404      204   401       404

findUserSessions        200   200           404     404     404    404       404       404    404      200   401       404
endUserSessions         204   204           404     404     404    404       404       404    404      204   401       404

uploadRobotSource       200   200           404     404     404    404       404       404    404      200   401       404
deleteRobotSource       204   204           404     404     404    404       404       404    404      204   401       404
uploadRobotAsset        200   200           404     404     404    404       404       404    404      200   401       404
deleteRobotAsset        204   204           404     404     404    404       404       404    404      204   401       404
setRobotVariable        204   204           404     404     404    404       404       404    404      204   401       404
deleteRobotVariable     204   204           404     404     404    404       404       404    404      204   401       404
findEncryptionKeyVersions 200 200          404     404     404    404       404       404    404      200   401       404
rotateEncryptionKey     201   201           404     404     404    404       404       404    404      201   401       404

retrieveIdentity        200   200           200     200     200    200       200       200    200      200   401       200

findEvents              200+  200+          200+    200-    200-   200-      200-      200-   200-     200+  401       200-
retrieveEvent           200   200           200     404     404    404       404       404    404      200   401       404

retrieveOpenWork        200   200           404     404     404    404       404       404    404      200   401       404
handOverWork            200   200           404     404     404    404       404       404    404      200   401       404
findUnownedWork         200+  200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-

findIncidents           200+  200+          200+    200-    200-   200-      200-      200-   200-     200+  401       200-
retrieveIncident        200   200           200     404     404    404       404       404    404      200   401       404
retryIncident           200   200           200     404     404    404       404       404    404      200   401       404
dismissIncident         200   200           200     404     404    404       404       404    404      200   401       404
acknowledgeIncident     200   200           200     404     404    404       404       404    404      200   401       404
muteIncident            200   200           200     404     404    404       404       404    404      200   401       404
unmuteIncident          200   200           200     404     404    404       404       404    404      200   401       404
assignIncident          200   200           200     404     404    404       404       404    404      200   401       404
commentIncident         201   201           201     404     404    404       404       404    404      201   401       404
findIncidentGroups      200+  200+          200+    200-    200-   200-      200-      200-   200-     200+  401       200-

findBulkOperations      200+  200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-
previewBulkOperation    201   201           201     201     201    201       201       201    201      201   401       400
retrieveBulkOperation   200   200           404     404     404    404       404       404    404      200   401       404
findBulkOperationItems  200+  200+          404     404     404    404       404       404    404      200+  401       404
startBulkOperation      200   404           404     404     404    404       404       404    404      200   401       404
stopBulkOperation       200   200           404     404     404    404       404       404    404      200   401       404

findWebhookEndpoints    200+  200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-
pingWebhookEndpoint     200   200           404     404     404    404       404       404    404      200   401       404
testNotificationReceiver 200  200           404     404     404    404       404       404    404      200   401       404
findNotificationMessages 200+ 200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-
enableWebhookEndpoint   200   200           404     404     404    404       404       404    404      200   401       404
replayFailedWebhookDeliveries 200   200           404     404     404    404       404       404    404      200   401       404
findWebhookDeliveries   200+  200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-
retrieveWebhookDelivery 200   200           404     404     404    404       404       404    404      200   401       404
replayWebhookDelivery   200   200           404     404     404    404       404       404    404      200   401       404
releaseProcessItemTask  404   404           404     200     403o   200       404       200    404      404   401       404
retrieveEngineHistory   404   404           404     200     403    403       403       200    404      404   401       404
findRepairs             404   404           404     200     200    200       200       200    404      404   401       404
repairProcess           404   404           404     201     403    403       403       403    404      404   401       404
findRepairPoints        404   404           404     200     403    403       403       403    404      404   401       404
previewRepair           404   404           404     200     403    403       403       403    404      404   401       404
explainProcessActions   200   200           404     404     404    404       404       404    404      200   401       404
evaluateAvailability    200   200           404     404     404    404       404       404    404      200   401       404
evaluate_MODEL          200   200           200     200     200    200       200       200    200      200   401       200
findAvailabilityFaults  200+  200+          200+    200-    200-   200-      200-      200-   200-     200+  401       200-
findEngineAccess        200+  200+          200-    200-    200-   200-      200-      200-   200-     200+  401       200-
revokeEngineAccess      200   200           404     404     404    404       404       404    404      200   401       404
issueOperatorAccess     403   403           403     403     403    403       403       403    403      403   401       403

retrieveHealth          200   200           200     200     200    200       200       200    200      200   401       200
examineHealth           403   403           403     403     403    403       403       403    403      403   401       403

findWorkers             200+  200+          200+    200-    200-   200-      200-      200-   200-     200+  401       200-
findTaskQueues          200+  200+          200+    200-    200-   200-      200-      200-   200-     200+  401       200-
`

// adminThings contains the resources in requests of the administration API.
type adminThings struct {
	tenant string
	// definition, group and application are codes of resources that a cell has
	// for itself.
	definition, group, application, webhook, robot string
	secret, incident, delivery, event              uuid.UUID
	// directory is a token of a directory.
	directory uuid.UUID
	// session is a browser that "candidate" is signed in with.
	session uuid.UUID
	// process is one of LOAN, task one of it that "candidate" has claimed, principal a user of the tenant.
	process, task, principal uuid.UUID
	// leaver is a user with a claimed task.
	leaver uuid.UUID
	// access is the id of an engine token of the worker, tenantID its tenant.
	access, tenantID uuid.UUID
	// bulk is a running bulk operation of "owner", preview one that is not started.
	bulk, preview uuid.UUID
}

func absentAdminThings() adminThings {
	return adminThings{
		tenant: "nowhere", definition: "LOAN", group: "REVIEWERS", application: "worker", robot: "BOT",
		webhook: "HOOK", secret: uuid.New(), directory: uuid.New(), session: uuid.New(), incident: uuid.New(), delivery: uuid.New(), event: uuid.New(),
		access: uuid.New(), tenantID: uuid.New(), process: uuid.New(), task: uuid.New(), principal: uuid.New(), leaver: uuid.New(),
		bulk: uuid.New(), preview: uuid.New(),
	}
}

// operations returns valid requests, for every operation of the contract.
func (f adminThings) operations() map[string]operation { //nolint:funlen // most of it is a table
	get, post, del := http.MethodGet, http.MethodPost, http.MethodDelete
	at := func(kind, code, rest string) string { return apitest.ResourcePath(f.tenant, kind, code, rest) }
	directories := apitest.AdminAPI + "/directory-tokens?tenant=" + f.tenant
	work := apitest.AdminAPI + "/principals/" + f.leaver.String() + "/open-work"
	incident := apitest.AdminAPI + "/incidents/" + f.incident.String()
	hook := func(action string) string {
		return apitest.AdminAPI + "/webhooks/" + f.webhook + "/~actions/" + action + "?tenant=" + f.tenant
	}
	delivery := apitest.AdminAPI + "/webhook-deliveries/" + f.delivery.String()
	definition := apitest.Document(f.tenant, "ProcessDefinition", f.definition, ownDefinition)
	group := apitest.Document(f.tenant, "Group", f.group, `{"name":"Another name"}`)
	tenant := `{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"` + f.tenant + `"},"spec":{"name":"N"}}`
	requests := map[string]operation{
		"applyResources":            {method: post, path: apitest.ApplyPath, body: apitest.Applying("", definition)},
		"apply_GROUP":               {method: post, path: apitest.ApplyPath, body: apitest.Applying("", group)},
		"apply_TENANT":              {method: post, path: apitest.ApplyPath, body: apitest.Applying(`"dryRun":true,`, tenant)},
		"findResources":             {method: get, path: apitest.AdminAPI + "/resources?tenant=" + f.tenant},
		"find_GROUPS":               {method: get, path: apitest.AdminAPI + "/resources?kind=Group&sort=code&label=app%3Dtest&tenant=" + f.tenant},
		"retrieveResource":          {method: get, path: at("ProcessDefinition", f.definition, "")},
		"retrieve_GROUP":            {method: get, path: at("Group", f.group, "")},
		"deleteResource":            {method: del, path: at("ProcessDefinition", f.definition, "")},
		"delete_GROUP":              {method: del, path: at("Group", f.group, "")},
		"findDefinitionVersions":    {method: get, path: apitest.VersionsPath(f.tenant, f.definition)},
		"retrieveDefinitionVersion": {method: get, path: strings.Replace(apitest.VersionsPath(f.tenant, f.definition), "/versions?", "/versions/1?", 1)},
		"findSecrets":               {method: get, path: at("Application", f.application, "/secrets")},
		"issueSecret": {
			method: post, path: at("Application", f.application, "/secrets"),
			body: `{"name":"second","expiresAt":"2030-01-01T00:00:00Z"}`,
		},
		"revokeSecret":                  {method: del, path: at("Application", f.application, "/secrets/"+f.secret.String())},
		"findDirectoryTokens":           {method: get, path: directories},
		"issueDirectoryToken":           {method: post, path: directories, body: `{"name":"second"}`},
		"revokeDirectoryToken":          {method: del, path: strings.Replace(directories, "?", "/"+f.directory.String()+"?", 1)},
		"findUserSessions":              {method: get, path: apitest.AdminAPI + "/users/candidate/sessions?tenant=" + f.tenant},
		"endUserSessions":               {method: del, path: apitest.AdminAPI + "/users/candidate/sessions?id=" + f.session.String() + "&tenant=" + f.tenant},
		"retrieveIdentity":              {method: get, path: apitest.AdminAPI + "/identity"},
		"findEvents":                    {method: get, path: apitest.AdminAPI + "/events?type=RESOURCE.CREATED&resourceKind=PROCESS_DEFINITION&order=OLDEST_FIRST&limit=5&tenant=" + f.tenant},
		"findPastRights":                {method: get, path: apitest.AdminAPI + "/process-definitions/" + f.definition + "/rights?tenant=" + f.tenant},
		"findRights":                    {method: get, path: apitest.AdminAPI + "/rights?tenant=" + f.tenant},
		"exportRights":                  {method: get, path: apitest.AdminAPI + "/rights.csv?tenant=" + f.tenant},
		"retrieveEvent":                 {method: get, path: apitest.AdminAPI + "/events/" + f.event.String()},
		"retrieveOpenWork":              {method: get, path: work + "?tenant=" + f.tenant},
		"handOverWork":                  {method: post, path: work + "/~actions/hand-over?tenant=" + f.tenant, body: `{"handOver":"user/candidate"}`},
		"findUnownedWork":               {method: get, path: apitest.AdminAPI + "/unowned-work?tenant=" + f.tenant},
		"findIncidents":                 {method: get, path: apitest.AdminAPI + "/incidents?state=OPEN&sort=createdAt%2Cdesc&tenant=" + f.tenant},
		"retrieveIncident":              {method: get, path: incident},
		"retryIncident":                 {method: post, path: incident + "/~actions/retry"},
		"dismissIncident":               {method: post, path: incident + "/~actions/dismiss"},
		"acknowledgeIncident":           {method: post, path: incident + "/~actions/acknowledge", body: `{}`},
		"muteIncident":                  {method: post, path: incident + "/~actions/mute", body: `{"until":"2026-12-01T00:00:00Z"}`},
		"unmuteIncident":                {method: post, path: incident + "/~actions/unmute", body: `{}`},
		"assignIncident":                {method: post, path: incident + "/~actions/assign", body: `{}`},
		"commentIncident":               {method: post, path: incident + "/~actions/comment", body: `{"text":"the bank is closed"}`},
		"findIncidentGroups":            {method: get, path: apitest.AdminAPI + "/incident-groups?kind=FAILURE&tenant=" + f.tenant},
		"findWebhookEndpoints":          {method: get, path: apitest.AdminAPI + "/webhooks?sort=code%2Cdesc&tenant=" + f.tenant + "&code=" + f.webhook},
		"pingWebhookEndpoint":           {method: post, path: hook("ping")},
		"testNotificationReceiver":      {method: post, path: apitest.AdminAPI + "/notification-receivers/OPS/~actions/test?tenant=" + f.tenant},
		"findNotificationMessages":      {method: get, path: apitest.AdminAPI + "/notification-messages?receiver=OPS&state=PENDING&sort=createdAt%2Casc&tenant=" + f.tenant},
		"enableWebhookEndpoint":         {method: post, path: hook("enable")},
		"replayFailedWebhookDeliveries": {method: post, path: hook("replay-failed"), body: `{"since":"2020-01-01T00:00:00Z"}`},
		"findWebhookDeliveries": {
			method: get, path: apitest.AdminAPI + "/webhook-deliveries?state=DEAD&sort=createdAt&eventType=PROCESS.CREATED&tenant=" + f.tenant +
				"&webhook=" + f.webhook + "&from=2020-01-01T00:00:00Z&to=2120-01-01T00:00:00Z",
		},
		"retrieveWebhookDelivery": {method: get, path: delivery},
		"replayWebhookDelivery":   {method: post, path: delivery + "/~actions/replay"},
		"releaseProcessItemTask":  {method: post, path: apitest.AdminAPI + "/tasks/" + f.task.String() + "/~actions/release"},
		"explainProcessActions":   {method: get, path: apitest.AdminAPI + "/processes/" + f.process.String() + "/user-actions?principalId=" + f.principal.String()},
		"findRepairs":             {method: get, path: apitest.AdminAPI + "/processes/" + f.process.String() + "/repairs"},
		"repairProcess": {
			method: post, path: apitest.AdminAPI + "/processes/" + f.process.String() + "/repairs",
			body: `{"kind":"CHANGE_METADATA","reason":"wrong amount","value":{}}`,
		},
		"previewRepair": {
			method: post, path: apitest.AdminAPI + "/processes/" + f.process.String() + "/repair-preview",
			body: `{"kind":"CHANGE_METADATA","reason":"wrong amount","value":{}}`,
		},
		"findRepairPoints":      {method: get, path: apitest.AdminAPI + "/processes/" + f.process.String() + "/repair-points"},
		"retrieveEngineHistory": {method: get, path: apitest.AdminAPI + "/processes/" + f.process.String() + "/engine-history"},
		"evaluateAvailability": {
			method: post, path: apitest.AdminAPI + "/availability/~actions/evaluate",
			body: `{"expression":"${ true }","processId":"` + f.process.String() + `"}`,
		},
		"evaluate_MODEL": {
			method: post, path: apitest.AdminAPI + "/availability/~actions/evaluate",
			body: `{"expression":"${ true }","model":` + apitest.SampleModel + `}`,
		},
		"findAvailabilityFaults":    {method: get, path: apitest.AdminAPI + "/availability/faults?tenant=" + f.tenant},
		"findEncryptionKeyVersions": {method: get, path: apitest.KeyPath(f.tenant, "payloads", "/versions")},
		"rotateEncryptionKey":       {method: post, path: apitest.KeyPath(f.tenant, "payloads", "/~actions/rotate")},
		"findEngineAccess":          {method: get, path: apitest.AdminAPI + "/engine-access?active=true&sort=issuedAt&kind=ENGINE_TOKEN&tenantId=" + f.tenantID.String()},
		"revokeEngineAccess":        {method: post, path: apitest.AdminAPI + "/engine-access/~actions/revoke", body: `{"id":"` + f.access.String() + `"}`},
		"issueOperatorAccess": {
			method: post, path: apitest.AdminAPI + "/engine-access/~actions/issue",
			body: `{"tenant":"` + f.tenant + `"}`,
		},
		"findWorkers":    {method: get, path: apitest.AdminAPI + "/workers?state=ONLINE&taskQueue=LOANS&sort=lastSeenAt%2Cdesc&tenant=" + f.tenant},
		"retrieveHealth": {method: get, path: apitest.AdminAPI + "/health?tenant=" + f.tenant},
		"examineHealth":  {method: get, path: apitest.AdminAPI + "/health/checks"},
		"findTaskQueues": {method: get, path: apitest.AdminAPI + "/task-queues?taskQueue=LOANS&tenant=" + f.tenant},
	}
	maps.Copy(requests, f.bulkRequests())
	maps.Copy(requests, f.robotOperations())
	return requests
}

// ownDefinition is a process definition that no process needs.
const ownDefinition = `{"name":"Of a cell","permissions":{"initiators":[{"group":"REVIEWERS"}],` +
	`"administrators":[{"user":"definer"}]}}`

// ask sends the request of a row; everything about it that could differ between
// two of them is fixed.
func ask(s *apitest.Administered, caller, row string, about adminThings) apitest.Answer {
	s.T.Helper()
	op := about.operations()[row]
	var as demo.Account
	switch caller {
	case "anonymous":
	case "other":
		as = s.Of("south", "owner")
	case "operator":
		as = s.Operator
	default:
		as = s.As(caller)
	}
	r := apitest.Request(s.T, as, op.method, op.path, op.body)
	if caller == "anonymous" {
		r.Header.Del("Authorization")
	}
	r.Header.Set("X-Request-Id", "matrix")
	got := s.Send(r)
	// Only the names in the request may differ.
	got.Body = strings.ReplaceAll(got.Body, about.tenant, "asked")
	return got
}

// Every cell that writes has a fixture of its own.
func TestAdminPermissionMatrix(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	north, south := makeThings(s, "north", "shared"), makeThings(s, "south", "shared")
	lines := strings.Split(strings.TrimSpace(adminMatrix), "\n")
	callers := strings.Fields(lines[0])[1:]
	callers = callers[:len(callers)-1]
	rows := map[string]bool{}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		if len(cells) == 0 {
			continue
		}
		require.Len(t, cells, 2+len(callers), line)
		row, cells := cells[0], cells[1:]
		rows[row] = true
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			if !changes(north.operations()[row], cells[0]) && row != "examineHealth" && row != "issueOperatorAccess" {
				// An operator, who is not a member of the tenant, reads the same as its owner.
				requireCell(t, cells[0], ask(s.In(t), "operator", row, north))
			}
			for i, caller := range callers {
				t.Run(caller, func(t *testing.T) {
					t.Parallel()
					s := s.In(t)
					tenant, own, foreign, elsewhere := "north", north, south, cells[len(callers)]
					switch caller {
					case "other":
						tenant, own, foreign = "south", south, north
					case "anonymous":
						elsewhere = cells[i]
					}
					if changes(own.operations()[row], cells[i]) {
						own = makeThings(s, tenant, row+"-"+caller)
					}
					got := ask(s, caller, row, own)
					requireCell(t, cells[i], got)
					absent := ask(s, caller, row, absentAdminThings())
					requireCell(t, elsewhere, absent)
					requireSame(t, absent, ask(s, caller, row, foreign))
					if strings.HasPrefix(cells[i], "404") {
						requireSame(t, absent, got)
					}
				})
			}
		})
	}
	for _, id := range apitest.Contracts["admin"].Operations() {
		require.True(t, rows[id], "%s has no row", id)
	}
}
