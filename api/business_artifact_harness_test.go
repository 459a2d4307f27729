package api_test

import (
	"github.com/google/uuid"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// customers is the business artifact definition CUSTOMER of the demonstration
// data.
func customers() uuid.UUID { return uuid.MustParse("01970000-0000-7000-8000-00000000f001") }

// customer creates a CUSTOMER as the loan worker.
func (s *service) customer(data string) oasb.BusinessArtifact {
	s.t.Helper()
	return decode[oasb.BusinessArtifact](s.t, s.post(201, demo.LoanWorker(), "/business-artifacts", customerBody(data)))
}

// customerBody returns a body that creates a CUSTOMER; more are further members
// of it.
func customerBody(data string, more ...string) string {
	body := `{"businessArtifactDefinitionId":"` + customers().String() + `","data":{"value":` + data + `}`
	for _, member := range more {
		body += "," + member
	}
	return body + "}"
}

func artifactPath(id uuid.UUID, rest string) string {
	return "/business-artifacts/" + id.String() + rest
}

func (s *service) retrieveArtifact(id uuid.UUID) oasb.BusinessArtifact {
	s.t.Helper()
	return decode[oasb.BusinessArtifact](s.t, s.get(200, demo.LoanWorker(), artifactPath(id, "")))
}
