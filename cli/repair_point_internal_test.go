package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func TestPointsListAllEventsThatHappenAgain(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	p := oasadmin.RepairPoint{EventCount: 5, Events: []oasadmin.RepairPointEvent{
		{Kind: "ACTIVITY", Name: "send", At: at},
		{Kind: "TIMER", Name: "1h0m0s", At: at},
		{Kind: "CHILD_WORKFLOW", Name: "Check", At: at},
		{Kind: "SIGNAL", Name: "KuFlow_Engine_Signal_Process_Item", At: at},
	}}
	time := timeText(at)
	require.Equal(t, "activity send "+time+", timer 1h0m0s "+time+", child_workflow Check "+time+
		", signal KuFlow_Engine_Signal_Process_Item "+time+", and 1 more", pointText(&p))
}
