package main

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/rest"
)

func TestRobotFillsInWhatItFinds(t *testing.T) {
	t.Parallel()
	for currency, want := range map[string]struct {
		data, message string
		logs          int
	}{
		"USD": {`{"CURRENCY":"USD","RATE":0.92}`, "filled in", 0},
		"XTS": {`{"CURRENCY":"XTS"}`, "no rate found", 1},
	} {
		t.Run(currency, func(t *testing.T) {
			t.Parallel()
			s := processiontest.New(t, processiontest.Options{Register: registerRobot})
			task := rest.ProcessItem{
				ID: uuid.New(), Type: rest.ProcessItemTypeTASK, ProcessID: s.NewProcess().ID, OwnerID: new(uuid.New()),
				ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: "CONVERT"},
				Task: &rest.ProcessItemTask{
					State: rest.ProcessItemTaskStateCLAIMED, Data: &rest.JSONValue{Value: json.RawMessage(`{"CURRENCY":"` + currency + `"}`)},
				},
			}
			s.NewItem(task)
			var response procession.WorkflowResponse
			require.NoError(t, s.Execute("RatesWorkflow", procession.RobotRequest{ProcessID: task.ProcessID, ProcessItemID: task.ID}, &response))
			require.Equal(t, want.message, response.Message)
			require.JSONEq(t, want.data, string(s.Items()[0].Task.Data.Value))
			require.Len(t, s.Items()[0].Task.Logs, want.logs)
		})
	}
}
