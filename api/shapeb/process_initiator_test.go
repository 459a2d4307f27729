package shapeb_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestChangingTheInitiator(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	before := s.Loan()
	path := apitest.ProcessPath(before.ID, apitest.ChangeInitiator)
	events := s.Events(before.ID)

	got := s.Post(200, demo.Alice(), path, `{"initiatorEmail":"BOB@demo.example"}`)
	changed := apitest.Decode[oasb.Process](t, got)
	require.Equal(t, demo.Bob().ID, *changed.InitiatorID)
	require.Equal(t, demo.Alice().ID, *changed.LastModifiedBy)
	require.True(t, changed.LastModifiedAt.After(*before.LastModifiedAt))
	require.Equal(t, before.CreatedBy, changed.CreatedBy)
	require.Equal(t, changed, s.RetrieveProcess(before.ID))
	// The process belongs to the new initiator and no longer to the former one.
	s.Get(200, demo.Bob(), apitest.ProcessPath(before.ID, ""))
	s.Get(404, demo.Carol(), apitest.ProcessPath(before.ID, ""))
	require.Equal(t, events, s.Events(before.ID))

	// Naming the same initiator by id or by e-mail makes no change.
	stored := s.Snapshot()
	for _, body := range []string{
		`{"initiatorEmail":"bob@demo.example"}`, apitest.ToInitiator(demo.Bob()),
		`{"initiatorId":"` + demo.Bob().ID.String() + `","initiatorEmail":"bob@demo.example"}`,
	} {
		require.Equal(t, got.Body, s.Post(200, demo.LoanWorker(), path, body).Body)
	}
	require.Equal(t, stored, s.Snapshot())

	application := apitest.Decode[oasb.Process](t, s.Post(200, demo.LoanWorker(), path, apitest.ToInitiator(demo.Stranger())))
	require.Equal(t, demo.Stranger().ID, *application.InitiatorID)
	s.Get(200, demo.Stranger(), apitest.ProcessPath(before.ID, ""))
}

func TestInitiatorIsAnActivePrincipalOfTheTenant(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), "UPDATE principals SET disabled_at = now() WHERE id = $1", demo.Reader().ID)
	require.NoError(t, err)
	before := s.Snapshot()
	for name, c := range map[string]struct{ body, location string }{
		"unknown id":          {`{"initiatorId":"` + uuid.NewString() + `"}`, "/initiatorId"},
		"unknown e-mail":      {`{"initiatorEmail":"no@demo.example"}`, "/initiatorEmail"},
		"foreign application": {apitest.ToInitiator(demo.OtherWorker()), "/initiatorId"},
		"the service itself":  {`{"initiatorId":"` + domain.SystemPrincipalID().String() + `"}`, "/initiatorId"},
		"disabled":            {apitest.ToInitiator(demo.Reader()), "/initiatorId"},
		"id of one, e-mail of another": {
			`{"initiatorId":"` + demo.Bob().ID.String() + `","initiatorEmail":"carol@demo.example"}`, "/initiatorId",
		},
	} {
		failure := s.Refused(400, "VALIDATION", demo.Alice(), http.MethodPost, apitest.ProcessPath(process, apitest.ChangeInitiator), c.body)
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	// A caller without permission does not learn which principals exist.
	for _, body := range []string{apitest.ToInitiator(demo.Bob()), `{"initiatorId":"` + uuid.NewString() + `"}`} {
		s.Refused(403, "ACCESS_DENIED", demo.Carol(), http.MethodPost, apitest.ProcessPath(process, apitest.ChangeInitiator), body)
	}
	require.Equal(t, before, s.Snapshot())
}
