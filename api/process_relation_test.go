package api_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// cameFrom starts a process that comes from another one.
func (s *service) cameFrom(as demo.Account, definition, related uuid.UUID) oasb.Process {
	s.t.Helper()
	return decode[oasb.Process](s.t, s.post(201, as, "/processes",
		`{"processDefinitionId":"`+definition.String()+`","relatedProcessId":"`+related.String()+`"}`))
}

func related(incoming, outcoming []uuid.UUID) *oasb.ProcessRelated {
	return &oasb.ProcessRelated{
		Incoming: append([]uuid.UUID{}, incoming...), Outcoming: append([]uuid.UUID{}, outcoming...),
	}
}

func TestRelatedProcessesShowEachOther(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.loan()
	require.Equal(t, related(nil, nil), first.ProcessRelated)
	require.Contains(t, s.get(200, demo.Carol(), processPath(first.ID, "")).body,
		`"processRelated":{"incoming":[],"outcoming":[]}`)

	second := s.cameFrom(demo.Carol(), demo.Loan(), first.ID)
	require.Equal(t, related([]uuid.UUID{first.ID}, nil), second.ProcessRelated)
	third := s.cameFrom(demo.Carol(), demo.Loan(), second.ID)
	fourth := s.cameFrom(demo.Alice(), demo.Onboarding(), second.ID)

	want := related([]uuid.UUID{first.ID}, []uuid.UUID{third.ID, fourth.ID})
	require.Equal(t, want, s.retrieveProcess(second.ID).ProcessRelated)
	require.Equal(t, related(nil, []uuid.UUID{second.ID}), s.retrieveProcess(first.ID).ProcessRelated)
	require.Equal(t, related([]uuid.UUID{second.ID}, nil), s.retrieveProcess(fourth.ID).ProcessRelated)
	inA := decode[oasa.Process](t, s.get(200, demo.Alice(), processPathA(second.ID, ""))).RelatedProcess
	require.Equal(t, oasa.RelatedProcess{Incoming: want.Incoming, Outcoming: want.Outcoming}, *inA)

	// Every answer with the process has them.
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/processes", `{"id":"` + second.ID.String() + `","processDefinitionCode":"LOAN"}`},
		{"POST", processPath(second.ID, "/~actions/change-initiator"), `{"initiatorId":"` + demo.Bob().ID.String() + `"}`},
		{"PUT", processPath(second.ID, "/metadata"), metadataOfBody},
		{"PATCH", processPath(second.ID, "/metadata"), `[]`},
		{"PUT", processPath(second.ID, "/entity"), `{"entity":{"value":{}}}`},
		{"PATCH", processPath(second.ID, "/entity"), `[]`},
		{"POST", processPath(second.ID, cancelItems), ""},
		{"POST", processPath(second.ID, cancel), ""},
		{"POST", processPath(second.ID, cancel), ""},
	} {
		got := decode[oasb.Process](t, s.call(200, demo.Alice(), c.method, c.path, c.body))
		require.Equal(t, want, got.ProcessRelated, "%s %s", c.method, c.path)
	}
	// The related process may be finished.
	require.Equal(t, related([]uuid.UUID{second.ID}, nil),
		s.cameFrom(demo.Alice(), demo.Onboarding(), second.ID).ProcessRelated)
}

func TestRelatedProcessesAreThoseTheCallerSees(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	onboarding := s.cameFrom(demo.Alice(), demo.Onboarding(), loan).ID
	require.Equal(t, related(nil, []uuid.UUID{onboarding}), s.retrieveProcess(loan).ProcessRelated)
	for _, as := range []demo.Account{demo.Carol(), demo.Reader()} {
		seen := decode[oasb.Process](t, s.get(200, as, processPath(loan, "")))
		require.Equal(t, related(nil, nil), seen.ProcessRelated)
	}
	// Seeing a process is not seeing what it came from.
	s.post(200, demo.Alice(), processPath(onboarding, "/~actions/change-initiator"), toInitiator(demo.Bob()))
	seen := decode[oasb.Process](t, s.get(200, demo.Bob(), processPath(onboarding, "")))
	require.Equal(t, related(nil, nil), seen.ProcessRelated)
}

func TestRelatedProcessMustBeSeen(t *testing.T) {
	t.Parallel()
	s := newService(t)
	foreign := s.process(demo.OtherWorker(), demo.OtherLoan()).ID
	hidden := s.process(demo.Alice(), demo.Onboarding()).ID
	itself := uuid.New()
	before := s.snapshot()
	var bodies []string
	for _, id := range []uuid.UUID{uuid.New(), foreign, hidden, itself} {
		failure := s.refused(400, "VALIDATION", demo.Carol(), http.MethodPost, "/processes", `{"id":"`+itself.String()+
			`","processDefinitionId":"`+demo.Loan().String()+`","relatedProcessId":"`+id.String()+`"}`)
		require.Equal(t, "/relatedProcessId", failure.Errors[0].Location)
		bodies = append(bodies, failure.Errors[0].Message)
	}
	for _, body := range bodies {
		require.Equal(t, bodies[0], body)
	}
	require.Equal(t, before, s.snapshot())
}
