package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is the user PostgreSQL runs as. A nil account is the current user.
type account struct {
	uid, gid uint32
}

// serverAccount returns nil unless this program runs as root, which PostgreSQL
// refuses: then it is the user postgres or else the one without rights.
func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // nil is the current user, as documented
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			if _, ok := errors.AsType[user.UnknownUserError](err); ok {
				continue
			}
			return nil, fmt.Errorf("looking up user %s: %w", name, err)
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, fmt.Errorf("reading the ids of user %s: %w", name, err)
		}
		return &account{uid: uint32(uid), gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody to run it as")
}

// sysProcAttr makes a child run as the account and with none of root's groups.
func (a *account) sysProcAttr() *syscall.SysProcAttr {
	if a == nil {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: []uint32{}}}
}

// ServerProcess returns the attributes of a process that runs as PostgreSQL does. A program that changes its user itself loses the
// signal of the death of its parent.
func ServerProcess() (*syscall.SysProcAttr, error) {
	a, err := serverAccount()
	return a.sysProcAttr(), err
}

// changeOwner gives the file or directory to the account.
func (a *account) changeOwner(path string) error {
	if a == nil {
		return nil
	}
	if err := os.Chown(path, int(a.uid), int(a.gid)); err != nil {
		return fmt.Errorf("giving %s to user %d: %w", path, a.uid, err)
	}
	return nil
}

// mayTraverse reports whether the account can pass through the directory.
// Supplementary groups are ignored: a child has none.
func (a *account) mayTraverse(info os.FileInfo) bool {
	if a == nil {
		return true
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	switch mode := info.Mode().Perm(); {
	case stat.Uid == a.uid:
		return mode&0o100 != 0
	case stat.Gid == a.gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}
