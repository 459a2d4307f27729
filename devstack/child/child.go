// Package child runs the programs of the local stack so that none of them
// outlives the program that started it, however that program ends.
package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Process is a running child. Its methods may be called from any goroutine.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts cmd in a process group of its own, so that Ctrl-C in the
// terminal reaches only this program and the stack can be stopped in order. On
// Linux the kernel sends the child the signal onParentDeath when this program
// dies without having stopped it; elsewhere the child then lives on.
//
// The command must not have been made with exec.CommandContext unless the
// child's life is really meant to be bound to that context.
func Start(cmd *exec.Cmd, onParentDeath syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	setParentDeathSignal(cmd.SysProcAttr, onParentDeath)

	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		defer close(p.done)
		// The kernel ties the parent death signal to the thread that forked, not
		// to the process: the thread must live as long as the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		p.err = cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	return p, nil
}

// PID returns the process id of the child.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the child has exited and its output has been read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the child exited: nil while it runs and after exit status 0,
// otherwise the error of exec.Cmd.Wait.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Signal sends sig to the child; a child that has already exited is no error.
func (p *Process) Signal(sig os.Signal) error {
	err := p.cmd.Process.Signal(sig)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signalling %s: %w", p.cmd.Path, err)
	}
	return nil
}

// Stop asks the child to end with the signal polite and waits for it. When ctx
// ends first it sends the signal rude, waits until the child is gone and
// returns the error of ctx. The exit status is not an error of Stop; Err has
// it. Stopping a child that has exited returns nil.
func (p *Process) Stop(ctx context.Context, polite, rude syscall.Signal) error {
	if err := p.Signal(polite); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	if err := p.Signal(rude); err != nil {
		return err
	}
	<-p.done
	return fmt.Errorf("stopping %s: %w", p.cmd.Path, ctx.Err())
}
