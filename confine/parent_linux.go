package confine

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// command starts the child: this very program, whatever has become of its file.
func (j Job) command() (*exec.Cmd, error) {
	args := []string{Argument, j.Limits.String()}
	if len(j.Program) > 0 {
		args = append(append(args, program), j.Program...)
	} else {
		args = append(args, j.Task)
	}
	cmd := exec.Command("/proc/self/exe", args...) //nolint:gosec,noctx // The arguments are the service's; the end of the context kills the group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd, nil
}

// kill ends the child and all that it started.
func kill(cmd *exec.Cmd) { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }

// awaitExit waits until the child has ended and kills what it has left behind.
// The child can be waited for still, so its id is not that of another group.
func awaitExit(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	kill(cmd)
}

// ended reports whether a child ended at its limit of processor time, or was
// killed.
func ended(cmd *exec.Cmd) (late, killed bool) {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return cmd.ProcessState.ExitCode() == exitTime, false
	}
	return status.Signal() == syscall.SIGXCPU, status.Signal() == syscall.SIGKILL
}
