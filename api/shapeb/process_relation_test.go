package shapeb_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// cameFrom starts a process that comes from another one.
func cameFrom(s *apitest.Service, as demo.Account, definition, related uuid.UUID) oasb.Process {
	s.T.Helper()
	return apitest.Decode[oasb.Process](s.T, s.Post(201, as, "/processes",
		`{"processDefinitionId":"`+definition.String()+`","relatedProcessId":"`+related.String()+`"}`))
}

func relatedOf(incoming, outcoming []uuid.UUID) *oasb.ProcessRelated {
	return &oasb.ProcessRelated{
		Incoming: append([]uuid.UUID{}, incoming...), Outcoming: append([]uuid.UUID{}, outcoming...),
	}
}

func TestRelatedProcessesShowEachOther(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	first := s.Loan()
	require.Equal(t, relatedOf(nil, nil), first.ProcessRelated)
	require.Contains(t, s.Get(200, demo.Carol(), apitest.ProcessPath(first.ID, "")).Body,
		`"processRelated":{"incoming":[],"outcoming":[]}`)

	second := cameFrom(s, demo.Carol(), demo.Loan(), first.ID)
	require.Equal(t, relatedOf([]uuid.UUID{first.ID}, nil), second.ProcessRelated)
	third := cameFrom(s, demo.Carol(), demo.Loan(), second.ID)
	fourth := cameFrom(s, demo.Alice(), demo.Onboarding(), second.ID)

	want := relatedOf([]uuid.UUID{first.ID}, []uuid.UUID{third.ID, fourth.ID})
	require.Equal(t, want, s.RetrieveProcess(second.ID).ProcessRelated)
	require.Equal(t, relatedOf(nil, []uuid.UUID{second.ID}), s.RetrieveProcess(first.ID).ProcessRelated)
	require.Equal(t, relatedOf([]uuid.UUID{second.ID}, nil), s.RetrieveProcess(fourth.ID).ProcessRelated)
	inA := apitest.Decode[oasa.Process](t, s.Get(200, demo.Alice(), apitest.ProcessPathA(second.ID, ""))).RelatedProcess
	require.Equal(t, oasa.RelatedProcess{Incoming: want.Incoming, Outcoming: want.Outcoming}, *inA)

	// Every answer with the process has them.
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/processes", `{"id":"` + second.ID.String() + `","processDefinitionCode":"LOAN"}`},
		{"POST", apitest.ProcessPath(second.ID, "/~actions/change-initiator"), `{"initiatorId":"` + demo.Bob().ID.String() + `"}`},
		{"PUT", apitest.ProcessPath(second.ID, "/metadata"), apitest.MetadataOfBody},
		{"PATCH", apitest.ProcessPath(second.ID, "/metadata"), `[]`},
		{"PUT", apitest.ProcessPath(second.ID, "/entity"), `{"entity":{"value":{}}}`},
		{"PATCH", apitest.ProcessPath(second.ID, "/entity"), `[]`},
		{"POST", apitest.ProcessPath(second.ID, apitest.CancelItems), ""},
		{"POST", apitest.ProcessPath(second.ID, apitest.Cancel), ""},
		{"POST", apitest.ProcessPath(second.ID, apitest.Cancel), ""},
	} {
		got := apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), c.method, c.path, c.body))
		require.Equal(t, want, got.ProcessRelated, "%s %s", c.method, c.path)
	}
	// The related process may be finished.
	require.Equal(t, relatedOf([]uuid.UUID{second.ID}, nil),
		cameFrom(s, demo.Alice(), demo.Onboarding(), second.ID).ProcessRelated)
}

func TestRelatedProcessesAreVisibleToTheCaller(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	onboarding := cameFrom(s, demo.Alice(), demo.Onboarding(), loan).ID
	require.Equal(t, relatedOf(nil, []uuid.UUID{onboarding}), s.RetrieveProcess(loan).ProcessRelated)
	for _, as := range []demo.Account{demo.Carol(), demo.Reader()} {
		seen := apitest.Decode[oasb.Process](t, s.Get(200, as, apitest.ProcessPath(loan, "")))
		require.Equal(t, relatedOf(nil, nil), seen.ProcessRelated)
	}
	// The origin of a visible process may be invisible.
	s.Post(200, demo.Alice(), apitest.ProcessPath(onboarding, "/~actions/change-initiator"), apitest.ToInitiator(demo.Bob()))
	seen := apitest.Decode[oasb.Process](t, s.Get(200, demo.Bob(), apitest.ProcessPath(onboarding, "")))
	require.Equal(t, relatedOf(nil, nil), seen.ProcessRelated)
}

func TestRelatedProcessMustBeVisible(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	foreign := s.Process(demo.OtherWorker(), demo.OtherLoan()).ID
	hidden := s.Process(demo.Alice(), demo.Onboarding()).ID
	itself := uuid.New()
	before := s.Snapshot()
	var bodies []string
	for _, id := range []uuid.UUID{uuid.New(), foreign, hidden, itself} {
		failure := s.Refused(400, "VALIDATION", demo.Carol(), http.MethodPost, "/processes", `{"id":"`+itself.String()+
			`","processDefinitionId":"`+demo.Loan().String()+`","relatedProcessId":"`+id.String()+`"}`)
		require.Equal(t, "/relatedProcessId", failure.Errors[0].Location)
		bodies = append(bodies, failure.Errors[0].Message)
	}
	for _, body := range bodies {
		require.Equal(t, bodies[0], body)
	}
	require.Equal(t, before, s.Snapshot())
}
