package apitest

import (
	"strings"

	"github.com/google/uuid"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// InvokeReport is the body that invokes the user action REPORT.
const InvokeReport = `{"processActionDefinitionCode":"REPORT"}`

// InvokeUserAction returns a body that invokes a user action; more are further
// members of it.
func InvokeUserAction(code string, more ...string) string {
	members := append([]string{`"processActionDefinitionCode":"` + code + `"`}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

// UserActionPath returns the path of a user action of a process; rest is
// appended.
func UserActionPath(process, action uuid.UUID, rest string) string {
	return ProcessPath(process, "/actions/"+action.String()+rest)
}

// Invoke invokes a user action.
func (s *Service) Invoke(as demo.Account, process uuid.UUID, body string) oasb.ProcessAction {
	s.T.Helper()
	return Decode[oasb.ProcessAction](s.T, s.Post(201, as, ProcessPath(process, "/actions"), body))
}

// ChangeInitiator is appended to the path of a process.
const ChangeInitiator = "/~actions/change-initiator"

// ToInitiator returns the body that names the account by its id.
func ToInitiator(a demo.Account) string { return `{"initiatorId":"` + a.ID.String() + `"}` }

// Paths below a process or item, and a body.
const (
	Cancel         = "/~actions/cancel"
	CancelItems    = "/~actions/cancel-process-items"
	Finish         = "/~actions/complete"
	MetadataOfBody = `{"metadata":{"value":{"FIRST_NAME":"Carol"}}}`
)

// Paths below a task, and a body.
const (
	Claim    = "/task/~actions/claim"
	Assign   = "/task/~actions/assign"
	Complete = "/task/~actions/complete"
	LogEntry = "/task/~actions/append-log"
	ToBob    = `{"ownerEmail":"bob@demo.example"}`
)
