package processes

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// A worker chooses the ids of its child workflows. A shell that runs the command for one runs no other command.
func TestEngineCommandQuotesWorkflowID(t *testing.T) {
	t.Parallel()
	process := uuid.MustParse("01980000-0000-7000-8000-000000000021")
	for _, id := range []string{"kid;touch${IFS}x;#", "$(touch x)", "`touch x`", "'; touch x; '", "a\ntouch x\n", "\x1b[201~touch x", "--config=/etc/passwd"} {
		shown := &engineView{Process: process, EngineHistory: &app.EngineHistory{
			Runs: []domain.EngineRun{{WorkflowID: "process-1"}}, View: &domain.WorkflowView{WorkflowID: id},
		}}
		command := exec.CommandContext(t.Context(), "bash", "-c", `procession() { printf '%s\0' "$@"; }; `+string(shown.historyCommand()))
		command.Dir = t.TempDir()
		got, err := command.CombinedOutput()
		require.NoError(t, err, string(got))
		require.Equal(t, "processes\x00history\x00"+process.String()+"\x00--engine\x00--workflow="+id+"\x00", string(got))
		require.Empty(t, strings.TrimSpace(listNames(t, command.Dir)))
	}
}

func listNames(t *testing.T, folder string) string {
	t.Helper()
	names, err := exec.CommandContext(t.Context(), "ls", "-A", folder).Output()
	require.NoError(t, err)
	return string(names)
}
