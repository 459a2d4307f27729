package api_test

import (
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

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

// found are the ids of the artifacts that expressions find for Alice, in order.
func (s *service) found(more string, expressions ...string) []uuid.UUID {
	s.t.Helper()
	query := url.Values{"value": expressions, "size": {"1000"}}
	page := decode[oasb.BusinessArtifactPage](s.t, s.get(200, demo.Alice(), "/business-artifacts?"+query.Encode()+more))
	ids := []uuid.UUID{}
	for _, item := range page.Content {
		ids = append(ids, item.ID)
	}
	require.EqualValues(s.t, len(ids), page.Metadata.TotalElements)
	return ids
}

// badValue requires that expressions are refused as a value of the query and
// returns the messages.
func (s *service) badValue(as demo.Account, expressions ...string) []string {
	s.t.Helper()
	query := url.Values{"value": expressions}
	failure := s.refused(400, "VALIDATION", as, "GET", "/business-artifacts?"+query.Encode(), "")
	var messages []string
	for _, one := range failure.Errors {
		require.Equal(s.t, "value", one.Location)
		require.Equal(s.t, "query", one.LocationType)
		messages = append(messages, one.Message)
	}
	return messages
}

// requireIDs requires the ids of artifacts, in order.
func requireIDs(t *testing.T, got []uuid.UUID, want ...oasb.BusinessArtifact) {
	t.Helper()
	ids := []uuid.UUID{}
	for _, a := range want {
		ids = append(ids, a.ID)
	}
	require.Equal(t, ids, got)
}
