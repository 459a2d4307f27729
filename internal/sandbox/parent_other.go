//go:build !linux

package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

func (j Job) buildCommand() (*exec.Cmd, error) {
	if len(j.Program) > 0 {
		return exec.Command(j.Program[0], j.Program[1:]...), nil //nolint:gosec,noctx // The operator names the program; the end of the context kills it.
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program itself: %w", err)
	}
	argument, err := json.Marshal(j.childOrder())
	if err != nil {
		return nil, fmt.Errorf("writing the order of a child: %w", err)
	}
	return exec.Command(self, Argument, string(argument)), nil //nolint:gosec,noctx // As above.
}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func awaitExit(*exec.Cmd) {}

func exitSignal(cmd *exec.Cmd) (late, killed bool) { return false, cmd.ProcessState.ExitCode() == -1 }
