package apitest

import (
	"strings"

	"github.com/google/uuid"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// InvokeStatement is the body that invokes the action STATEMENT of a customer.
const InvokeStatement = `{"businessArtifactActionDefinitionCode":"STATEMENT","downloadable":{"input":{"month":"2026-03"}}}`

// InvokeAction returns a body that invokes an action; more are further members
// of it.
func InvokeAction(code string, more ...string) string {
	members := append([]string{`"businessArtifactActionDefinitionCode":"` + code + `"`}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

// WithID returns the member of a body that chooses an id.
func WithID(id uuid.UUID) string { return `"id":"` + id.String() + `"` }

// ActionPath returns the path of an action of an artifact; rest is appended.
func ActionPath(artifact, action uuid.UUID, rest string) string {
	return ArtifactPath(artifact, "/actions/"+action.String()+rest)
}

// Customers returns the business artifact definition CUSTOMER of the demonstration
// data.
func Customers() uuid.UUID { return uuid.MustParse("01970000-0000-7000-8000-00000000f001") }

// Customer creates a CUSTOMER as the loan worker.
func (s *Service) Customer(data string) oasb.BusinessArtifact {
	s.T.Helper()
	return Decode[oasb.BusinessArtifact](s.T, s.Post(201, demo.LoanWorker(), "/business-artifacts", CustomerBody(data)))
}

// CustomerBody returns a body that creates a CUSTOMER; more are further members
// of it.
func CustomerBody(data string, more ...string) string {
	body := `{"businessArtifactDefinitionId":"` + Customers().String() + `","data":{"value":` + data + `}`
	for _, member := range more {
		body += "," + member
	}
	return body + "}"
}

// ArtifactPath returns the path of an artifact; rest is appended.
func ArtifactPath(id uuid.UUID, rest string) string {
	return "/business-artifacts/" + id.String() + rest
}

// RetrieveArtifact reads an artifact as the loan worker.
func (s *Service) RetrieveArtifact(id uuid.UUID) oasb.BusinessArtifact {
	s.T.Helper()
	return Decode[oasb.BusinessArtifact](s.T, s.Get(200, demo.LoanWorker(), ArtifactPath(id, "")))
}
