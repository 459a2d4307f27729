package api_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

const changeInitiator = "/~actions/change-initiator"

// toInitiator is the body that names the account by its id.
func toInitiator(a demo.Account) string { return `{"initiatorId":"` + a.ID.String() + `"}` }

func TestChangingTheInitiator(t *testing.T) {
	t.Parallel()
	s := newService(t)
	before := s.loan()
	path := processPath(before.ID, changeInitiator)
	events := s.events(before.ID)

	got := s.post(200, demo.Alice(), path, `{"initiatorEmail":"BOB@demo.example"}`)
	changed := decode[oasb.Process](t, got)
	require.Equal(t, demo.Bob().ID, *changed.InitiatorID)
	require.Equal(t, demo.Alice().ID, *changed.LastModifiedBy)
	require.True(t, changed.LastModifiedAt.After(*before.LastModifiedAt))
	require.Equal(t, before.CreatedBy, changed.CreatedBy)
	require.Equal(t, changed, s.retrieveProcess(before.ID))
	// The process belongs to the new initiator and no longer to the former one.
	s.get(200, demo.Bob(), processPath(before.ID, ""))
	s.get(404, demo.Carol(), processPath(before.ID, ""))
	require.Equal(t, events, s.events(before.ID))

	// Naming the same initiator changes nothing, by id or by e-mail.
	stored := s.snapshot()
	for _, body := range []string{
		`{"initiatorEmail":"bob@demo.example"}`, toInitiator(demo.Bob()),
		`{"initiatorId":"` + demo.Bob().ID.String() + `","initiatorEmail":"bob@demo.example"}`,
	} {
		require.Equal(t, got.body, s.post(200, demo.LoanWorker(), path, body).body)
	}
	require.Equal(t, stored, s.snapshot())

	application := decode[oasb.Process](t, s.post(200, demo.LoanWorker(), path, toInitiator(demo.Stranger())))
	require.Equal(t, demo.Stranger().ID, *application.InitiatorID)
	s.get(200, demo.Stranger(), processPath(before.ID, ""))
}

func TestInitiatorIsAnActivePrincipalOfTheTenant(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), "UPDATE principals SET disabled_at = now() WHERE id = $1", demo.Reader().ID)
	require.NoError(t, err)
	before := s.snapshot()
	for name, c := range map[string]struct{ body, location string }{
		"unknown id":          {`{"initiatorId":"` + uuid.NewString() + `"}`, "/initiatorId"},
		"unknown e-mail":      {`{"initiatorEmail":"no@demo.example"}`, "/initiatorEmail"},
		"foreign application": {toInitiator(demo.OtherWorker()), "/initiatorId"},
		"the service itself":  {`{"initiatorId":"` + domain.SystemPrincipalID().String() + `"}`, "/initiatorId"},
		"disabled":            {toInitiator(demo.Reader()), "/initiatorId"},
		"id of one, e-mail of another": {
			`{"initiatorId":"` + demo.Bob().ID.String() + `","initiatorEmail":"carol@demo.example"}`, "/initiatorId",
		},
	} {
		failure := s.refused(400, "VALIDATION", demo.Alice(), http.MethodPost, processPath(process, changeInitiator), c.body)
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	// A caller without permission does not learn which principals exist.
	for _, body := range []string{toInitiator(demo.Bob()), `{"initiatorId":"` + uuid.NewString() + `"}`} {
		s.refused(403, "ACCESS_DENIED", demo.Carol(), http.MethodPost, processPath(process, changeInitiator), body)
	}
	require.Equal(t, before, s.snapshot())
}
