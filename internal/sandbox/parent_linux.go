package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// buildCommand returns the command that starts the child: this program, even if its file was replaced or deleted.
func (j Job) buildCommand() (*exec.Cmd, error) {
	argument, err := json.Marshal(j.childOrder())
	if err != nil {
		return nil, fmt.Errorf("writing the order of a child: %w", err)
	}
	cmd := exec.Command("/proc/self/exe", Argument, string(argument)) //nolint:gosec,noctx // The arguments are the service's; the end of the context kills the group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd, nil
}

// killGroup kills the process group of the child.
func killGroup(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

// awaitExit waits until the child has exited and kills the processes that it started.
// The child is not reaped before that, so that its id cannot belong to another group.
func awaitExit(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	killGroup(cmd)
}

// exitSignal reports whether a child reached its limit of processor time (late), or was
// killed.
func exitSignal(cmd *exec.Cmd) (late, killed bool) {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return cmd.ProcessState.ExitCode() == exitTime, false
	}
	return status.Signal() == syscall.SIGXCPU, status.Signal() == syscall.SIGKILL
}
