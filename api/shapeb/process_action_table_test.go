package shapeb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A tableCaller is a user who is something to a process or not.
type tableCaller struct {
	account                    demo.Account
	initiator, viewer, manager bool
	// startsRelated reports whether the user may start the process that
	// START_RELATED_PROCESS starts.
	startsRelated bool
}

// tableExpressions returns an expression for each of the four outcomes.
func tableExpressions() map[string]string {
	return map[string]string{
		"ABSENT": "", "TRUE": `${ .process.state == "RUNNING" }`, "FALSE": `${ .process.state == "COMPLETED" }`,
		"ERROR": `${ .tasks.NONE.createdAt | startswith("2026") }`,
	}
}

// tableTypes holds all types, with the members that a definition needs for
// actions of each.
func tableTypes() map[domain.ProcessActionType]string {
	const workflow = `,"workflowType":"W","taskQueue":"LOANS"`
	return map[domain.ProcessActionType]string{
		domain.ProcessActionDownloadable: workflow, domain.ProcessActionStartWorkflow: workflow,
		domain.ProcessActionStartRelatedProcess: `,"processDefinition":"RELATED"`,
		domain.ProcessActionCreateTask:          `,"item":"REVIEW"`,
		domain.ProcessActionCreateMessage:       ``,
		domain.ProcessActionCreateThread:        `,"item":"DISCUSSION"`,
		domain.ProcessActionSendSignal:          `,"signalName":"Hurry"`,
	}
}

// tablePermissions returns all sets but the empty one, under the letters of their
// members.
func tablePermissions() map[string][]string {
	sets := map[string][]string{}
	kinds := []string{"INITIATOR", "VIEWER", "MANAGER"}
	for bits := 1; bits < 8; bits++ {
		var set []string
		name := ""
		for i, kind := range kinds {
			if bits>>i&1 == 1 {
				set, name = append(set, kind), name+kind[:1]
			}
		}
		sets[name] = set
	}
	return sets
}

// A tableAction is a cell as far as it does not depend on the caller.
type tableAction struct {
	code       string
	of         domain.ProcessActionType
	set        []string
	expression string
}

// offered states the rules of sections 2.12 to 2.14 once.
func (a tableAction) offered(c tableCaller) bool {
	permitted := c.initiator && slices.Contains(a.set, "INITIATOR") || c.viewer && slices.Contains(a.set, "VIEWER") ||
		c.manager && slices.Contains(a.set, "MANAGER")
	switch a.of { //nolint:exhaustive // the others have no rule of their own
	case domain.ProcessActionDownloadable, domain.ProcessActionCreateTask:
		permitted = permitted && c.manager
	case domain.ProcessActionStartRelatedProcess:
		permitted = permitted && c.manager && c.startsRelated
	}
	return permitted && (a.expression == "ABSENT" || a.expression == "TRUE")
}

func tableActions(expression string) []tableAction {
	var actions []tableAction
	for of := range tableTypes() {
		for name, set := range tablePermissions() {
			actions = append(actions, tableAction{code: string(of) + "-" + name, of: of, set: set, expression: expression})
		}
	}
	slices.SortFunc(actions, func(a, b tableAction) int { return strings.Compare(b.code, a.code) })
	return actions
}

// tableCallers returns users in all combinations, and the application that runs the
// workflow.
func tableCallers() []tableCaller {
	var callers []tableCaller
	for bits := range 16 {
		name := fmt.Sprintf("u%04b", bits)
		callers = append(callers, tableCaller{
			account:   demo.Account{Name: name, ID: uuid.New(), Email: name + "@north.example", Secret: name + "-token"},
			initiator: bits&1 > 0, viewer: bits&2 > 0, manager: bits&4 > 0, startsRelated: bits&8 > 0,
		})
	}
	return callers
}

// tableFolder describes the callers and a definition for each expression.
func tableFolder(callers []tableCaller) []string {
	var documents, everybody []string
	rights := map[string][]string{"viewers": {}, "managers": {}}
	starters := []string{`{"user":"owner"}`}
	for _, c := range callers {
		grantee := `{"user":"` + c.account.Name + `"}`
		documents = append(documents, apitest.Identified("north", "User", c.account.Name, c.account.ID,
			`{"name":"`+c.account.Name+`","email":"`+c.account.Email+`","accessTokens":[`+apitest.Declared("first", c.account.Secret)+`]}`))
		everybody = append(everybody, grantee)
		if c.viewer {
			rights["viewers"] = append(rights["viewers"], grantee)
		}
		if c.manager {
			rights["managers"] = append(rights["managers"], grantee)
		}
		if c.startsRelated {
			starters = append(starters, grantee)
		}
	}
	list := func(members []string) string { return "[" + strings.Join(members, ",") + "]" }
	documents = append(documents,
		apitest.Document("north", "Group", "EVERYBODY", `{"name":"Everybody","members":`+list(everybody)+`}`),
		apitest.Document("north", "ProcessDefinition", "RELATED", `{"name":"Related","permissions":{"initiators":`+list(starters)+`}}`))
	for name, expression := range tableExpressions() {
		var actions []string
		for _, a := range tableActions(name) {
			availability := ""
			if expression != "" {
				availability = `,"availability":"` + strings.ReplaceAll(expression, `"`, `\"`) + `"`
			}
			actions = append(actions, `{"code":"`+a.code+`","name":"A","type":"`+string(a.of)+`","permissions":["`+
				strings.Join(a.set, `","`)+`"]`+availability+tableTypes()[a.of]+`}`)
		}
		documents = append(documents, apitest.Document("north", "ProcessDefinition", name, `{"name":"Table",`+
			`"engine":{"workflowType":"W","taskQueue":"LOANS","runner":"worker"},"items":[`+
			`{"code":"SEEN","type":"TASK","name":"Seen","candidates":[{"group":"EVERYBODY"}]},`+
			`{"code":"REVIEW","type":"TASK","name":"Review"},{"code":"NONE","type":"TASK","name":"None"},{"code":"DISCUSSION","type":"THREAD","name":"Discussion"}],`+
			`"userActions":`+list(actions)+`,"permissions":{"initiators":[{"user":"owner"}],"viewers":`+list(rights["viewers"])+
			`,"managers":`+list(rights["managers"])+`}}`))
	}
	return documents
}

// For every cell of type, permissions, caller, permission on the related
// process and expression, the list, an invocation and the explanation for
// administrators agree.
func TestVisibilityTable(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	callers := tableCallers()
	s.Apply(s.As("owner"), tableFolder(callers)...)
	callers = append(callers, tableCaller{account: s.As("worker"), manager: true})
	for expression := range tableExpressions() {
		definition := s.Resource(s.As("owner"), "north", "ProcessDefinition", expression).Metadata.ID
		for _, c := range callers {
			t.Run(expression+"/"+c.account.Name, func(t *testing.T) {
				t.Parallel()
				s := s.In(t)
				initiator := s.As("initiator").ID
				if c.initiator {
					initiator = c.account.ID
				}
				process := apitest.Decode[struct{ ID uuid.UUID }](t, s.Post(201, s.As("worker"), "/processes",
					`{"processDefinitionId":"`+definition.String()+`","initiatorId":"`+initiator.String()+`"}`)).ID
				s.Post(201, s.As("worker"), "/process-items",
					`{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"SEEN"}`)
				want := []string{}
				for _, a := range tableActions(expression) {
					if a.offered(c) {
						want = append(want, a.code)
					}
				}
				require.Equal(t, want, availableActions(s.Service, c.account, process))

				explained := apitest.Decode[oasadmin.ExplainedActions](t, s.Get(200, s.As("owner"),
					apitest.AdminAPI+"/processes/"+process.String()+"/user-actions?principalId="+c.account.ID.String())).Content
				require.Len(t, explained, len(tableActions(expression)))
				for i, a := range tableActions(expression) {
					require.Equal(t, a.code, explained[i].Code)
					require.Equal(t, a.offered(c), explained[i].Offered, a.code)
					require.Equal(t, a.offered(c), len(explained[i].Reasons) == 0, a.code)
				}
				for _, a := range tableActions(expression) {
					status := 403
					if a.offered(c) {
						status = 201
					}
					got := s.Post(status, c.account, apitest.ProcessPath(process, "/actions"),
						apitest.InvokeUserAction(a.code, `"createProcessItemMessage":{"text":"t"}`))
					if status == 403 {
						require.Contains(t, got.Body, "ACCESS_DENIED")
					}
				}
				s.Refused(404, "NOT_FOUND", s.As("stranger"), "GET", apitest.ProcessPath(process, "/actions/~available"), "")
			})
		}
	}
}
