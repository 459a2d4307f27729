package customers_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/procession-dev/procession/examples/loan/customers"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
)

// run carries out an action on a customer, with the input {"month":"2026-03"}.
func run(t *testing.T, workflowType, data string) (*processiontest.Service, uuid.UUID, procession.ArtifactActionResponse, error) {
	t.Helper()
	s := processiontest.New(t, processiontest.Options{
		Register: func(w *procession.Worker) error { customers.Register(w); return nil },
	})
	id := s.NewArtifact(json.RawMessage(data))
	var response procession.ArtifactActionResponse
	err := s.Execute(workflowType, procession.ArtifactActionRequest{
		BusinessArtifactID: id, BusinessArtifactActionValueID: s.NewArtifactAction(map[string]string{"month": "2026-03"}),
	}, &response)
	return s, id, response, err
}

func TestStatementDeliversWhatItUploaded(t *testing.T) {
	t.Parallel()
	s, _, response, err := run(t, customers.StatementWorkflow, `{"name":"A, \"B\"","balance":1234567890.12345678901234567890}`)
	require.NoError(t, err)
	require.Equal(t, "The statement for 2026-03 is ready", response.Message)
	require.NotEmpty(t, response.Downloadable.DocumentURI)
	require.Equal(t, []processiontest.Document{{
		Query:   map[string]string{"fileContentType": "text/csv", "fileName": "statement.csv"},
		Content: "month,name,tier,balance\n2026-03,\"A, \"\"B\"\"\",,1234567890.12345678901234567890\n",
	}}, s.Documents())
}

func TestRecalculateSetsTheTier(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"balance":9999.9999999999}`: "SILVER", `{"balance":1e4}`: "GOLD", `{"balance":"-20000"}`: "SILVER", `{}`: "SILVER",
	} {
		s, id, response, err := run(t, customers.RecalculateWorkflow, data)
		require.NoError(t, err, data)
		require.Equal(t, procession.ArtifactActionResponse{Message: "The customer is " + want}, response, data)
		require.Contains(t, string(s.Artifact(id).Data.Value), `"tier":"`+want+`"`, data)
	}
}

func TestRecalculateFailsOnABalanceThatIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"balance":"a lot"}`, `{"balance":null}`, `{"balance":1e999999999}`} {
		s, id, _, err := run(t, customers.RecalculateWorkflow, data)
		var failed *temporal.ApplicationError
		require.ErrorAs(t, err, &failed, data)
		require.Equal(t, "CustomerInvalid", failed.Type(), data)
		require.Contains(t, failed.Error(), "is not a decimal number", data)
		require.Equal(t, data, string(s.Artifact(id).Data.Value), data)
	}
}
