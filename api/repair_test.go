package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A repetition of a repair answers with the recorded one, and changes nothing.
func TestRepairsAreRepeatedByID(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	path := fmt.Sprintf("%s/processes/%s/repairs", apitest.AdminAPI, s.Loan().ID)
	repair := func(id uuid.UUID) string {
		return fmt.Sprintf(`{"id":%q,"kind":"CHANGE_METADATA","reason":"wrong amount","value":{}}`, id)
	}
	id := uuid.New()
	first := s.Post(http.StatusCreated, demo.Alice(), path, repair(id))
	before := s.Snapshot()
	require.JSONEq(t, first.Body, s.Post(http.StatusOK, demo.Alice(), path, repair(id)).Body)
	require.Equal(t, before, s.Snapshot())
	s.Post(http.StatusCreated, demo.Alice(), path, repair(uuid.New()))
}
