package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/notifications"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// leftBehind lets receivers read the event log, and counts the people whose left work is not settled, as one receiver has them.
func (d *directory) leftBehind() int {
	d.T.Helper()
	d.Settle()
	for read := 1; read > 0; {
		var err error
		read, err = notifications.FindProblems(d.T.Context(), d.DB, 1000, d.Now())
		require.NoError(d.T, err)
	}
	return d.Count(`SELECT count(*) FROM notification_problems WHERE event_type = $1 AND recovered_at IS NULL`, domain.ProblemLeftWork)
}

// work defines a process in which the owner and people hold all rights.
func (d *directory) work(code string, people ...string) uuid.UUID {
	d.T.Helper()
	var holders strings.Builder
	for i, name := range people {
		if i > 0 {
			holders.WriteString(",")
		}
		holders.WriteString(`{"user":"` + name + `"}`)
	}
	all := `[` + holders.String() + `]`
	applied := d.Apply(d.As("owner"), apitest.Document("north", "ProcessDefinition", code, `{"name":"Work","items":[{"code":"DO","type":"TASK",
		"name":"Do it","candidates":`+all+`}],"engine":{"workflowType":"Work","taskQueue":"WORK","runner":"worker"},
		"permissions":{"initiators":`+all+`,"managers":`+all+`,"administrators":`+all+`}}`))
	require.Len(d.T, applied, 1)
	return *d.Resource(d.As("owner"), "north", "ProcessDefinition", code).Metadata.ID
}

// The problem of a person who left with open work ends with the last piece of it, however that ends, and not before.
func TestWorkOfLeaversIsSettled(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	d := newDirectory(t)
	owner := d.As("owner")
	var definition uuid.UUID
	task := func(of string) uuid.UUID {
		process := d.Process(owner, definition)
		body := fmt.Sprintf(`{"type":"TASK","processId":"%s","processItemDefinitionCode":"DO","ownerId":"%s"}`, process.ID, of)
		return apitest.Decode[oasb.ProcessItem](t, d.Post(201, owner, "/process-items", body)).ID
	}
	process := func(of string) uuid.UUID {
		made := d.Process(owner, definition)
		d.Post(200, owner, apitest.ProcessPath(made.ID, "/~actions/change-initiator"), `{"initiatorId":"`+of+`"}`)
		return made.ID
	}
	incident := func(of string) uuid.UUID {
		made := d.IncidentOf("north", definition)
		d.Post(200, owner, apitest.AdminAPI+"/incidents/"+made.String()+"/~actions/assign", `{"assigneeId":"`+of+`"}`)
		return made
	}
	post := func(path, body string) func(uuid.UUID) {
		return func(work uuid.UUID) { d.Post(200, owner, fmt.Sprintf(path, work), body) }
	}
	incidents := apitest.AdminAPI + "/incidents/%s/~actions/"
	cases := map[string]struct {
		work func(of string) uuid.UUID
		end  func(work uuid.UUID)
	}{
		"task-released":      {task, post(apitest.AdminAPI+"/tasks/%s/~actions/release", "")},
		"task-assigned":      {task, post("/process-items/%s/task/~actions/assign", `{"ownerId":"`+owner.ID.String()+`"}`)},
		"process-initiator":  {process, post("/processes/%s/~actions/change-initiator", `{"initiatorId":"`+owner.ID.String()+`"}`)},
		"process-cancelled":  {process, post("/processes/%s/~actions/cancel", "")},
		"incident-assigned":  {incident, post(incidents+"assign", `{"assigneeId":"`+owner.ID.String()+`"}`)},
		"incident-dismissed": {incident, post(incidents+"dismiss", "")},
	}
	people, ids := []string{"owner", "initiator"}, map[string]string{}
	for name := range cases {
		ids[name], people = d.newUser(name), append(people, name)
	}
	ids["sole"], ids["back"], ids["handed"] = d.newUser("sole"), d.newUser("back"), d.newUser("handed")
	definition = d.work("WORK", append(people, "back", "handed")...)
	d.work("ALONE", "sole")
	leave := func(name string) {
		d.do(200, http.MethodPatch, "/Users/"+ids[name], patchBody(`{"op":"replace","path":"active","value":false}`))
	}
	other := task(ids["back"])

	for name, c := range cases {
		first, last := c.work(ids[name]), c.work(ids[name])
		leave(name)
		require.Equal(t, 1, d.leftBehind(), name)
		c.end(first)
		require.Equal(t, 1, d.leftBehind(), "%s: a part of the work", name)
		c.end(last)
		require.Zero(t, d.leftBehind(), name)
	}

	leave("back")
	require.Equal(t, 1, d.leftBehind())
	d.do(200, http.MethodPatch, "/Users/"+ids["back"], patchBody(`{"op":"replace","path":"active","value":true}`))
	require.Zero(t, d.leftBehind(), "the person is active again")
	post("/process-items/%s/task/~actions/assign", `{"ownerId":"`+owner.ID.String()+`"}`)(other)

	leave("sole")
	require.Equal(t, 1, d.leftBehind())
	d.work("WORK", append(people, "back", "handed")...)
	require.Equal(t, 1, d.leftBehind())
	d.work("ALONE", "sole", "owner")
	require.Zero(t, d.leftBehind(), "another person holds the rights")

	for range 3 {
		task(ids["handed"])
	}
	process(ids["handed"])
	leave("handed")
	require.Equal(t, 1, d.leftBehind())
	d.Post(200, owner, apitest.AdminAPI+"/principals/"+ids["handed"]+"/open-work/~actions/hand-over?tenant=north", `{"handOver":"user/owner"}`)
	require.Zero(t, d.leftBehind(), "the work is handed over")
}

// Work that ends before receivers read of it is told with its end, as other problems are.
func TestWorkOfALeaverIsSettledAtOnce(t *testing.T) {
	t.Parallel()
	d := newDirectory(t)
	person := d.newUser("ana")
	definition := d.work("WORK", "owner", "ana")
	process := d.Process(d.As("owner"), definition)
	d.Post(200, d.As("owner"), apitest.ProcessPath(process.ID, "/~actions/change-initiator"), `{"initiatorId":"`+person+`"}`)
	d.do(200, http.MethodPatch, "/Users/"+person, patchBody(`{"op":"replace","path":"active","value":false}`))
	d.Post(200, d.As("owner"), apitest.ProcessPath(process.ID, "/~actions/cancel"), "")
	require.Zero(t, d.leftBehind())
	require.Equal(t, 1, d.Count(`SELECT count(*) FROM notification_problems WHERE event_type = $1 AND told_at IS NULL`, domain.ProblemLeftWork))
}
