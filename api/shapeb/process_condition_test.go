package shapeb_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestConditionOfAProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes", `{"processDefinitionId":"`+demo.Loan().String()+`"}`)).ID
	other := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes", `{"processDefinitionId":"`+demo.Loan().String()+`"}`)).ID
	conn, err := pgx.Connect(t.Context(), s.URL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	incident := uuid.New()
	_, err = conn.Exec(t.Context(), `WITH r AS (UPDATE engine_runs SET state = 'FAILED', run_id = 'first', closed_at = now() WHERE owner_id = $1 RETURNING *)
		INSERT INTO incidents (id, tenant_id, process_id, engine_run_id, run_id, message, failure, state, created_at)
		SELECT $2, r.tenant_id, r.owner_id, r.id, r.run_id, 'the amount is not a number', '', 'OPEN', now() FROM r`, loan, incident)
	require.NoError(t, err)

	of := func(as demo.Account) oasb.ProcessCondition {
		read := apitest.Decode[oasb.Process](t, s.Get(200, as, "/processes/"+loan.String()))
		require.Equal(t, oasb.ProcessStateRUNNING, read.State, "the state keeps the values of the specification")
		listed := apitest.Decode[oasb.ProcessPage](t, s.Get(200, as, "/processes?condition=FAILED&condition=STUCK"))
		require.Len(t, listed.Content, 1)
		require.Equal(t, read.Condition, listed.Content[0].Condition)
		return *read.Condition
	}
	condition := of(demo.Alice())
	require.Equal(t, oasb.ProcessConditionCode("FAILED"), condition.Code)
	require.Equal(t, "the amount is not a number", *condition.Message)
	require.Equal(t, incident, *condition.IncidentID)
	condition = of(demo.Carol())
	require.Equal(t, oasb.ProcessConditionCode("FAILED"), condition.Code)
	require.Nil(t, condition.Message, "Carol neither manages the process nor administers its tenant")
	require.Nil(t, condition.IncidentID)

	starting := apitest.Decode[oasb.ProcessPage](t, s.Get(200, demo.Carol(), "/processes?condition=STARTING"))
	require.Len(t, starting.Content, 1)
	require.Equal(t, other, starting.Content[0].ID)
	for finding, want := range map[string]oasb.ProcessConditionCode{
		"STUCK": "STUCK", "UNSERVED": "UNKNOWN", "WAITING_FOR_SIGNAL": "WAITING_FOR_SIGNAL",
	} {
		_, err = conn.Exec(t.Context(), `UPDATE engine_runs SET state = 'RUNNING', run_id = 'first', closed_at = NULL, finding = $2, finding_at = now()
			WHERE owner_id = $1`, other, finding)
		require.NoError(t, err)
		read := apitest.Decode[oasb.Process](t, s.Get(200, demo.Carol(), "/processes/"+other.String()))
		require.Equal(t, want, read.Condition.Code)
		require.Len(t, apitest.Decode[oasb.ProcessPage](t, s.Get(200, demo.Carol(), "/processes?condition="+string(want))).Content, 1)
	}
	s.Post(200, demo.Alice(), "/processes/"+loan.String()+"/~actions/cancel", "")
	read := apitest.Decode[oasb.Process](t, s.Get(200, demo.Carol(), "/processes/"+loan.String()))
	require.Equal(t, oasb.ProcessConditionCode("FINISHED"), read.Condition.Code)
}
