package sandbox

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// systemLibraries returns the folders and files that a dynamically linked program reads at its start.
func systemLibraries() []string {
	return []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/ld.so.preload"}
}

// scopedSignals is the first version of Landlock that denies signals to processes outside of the sandbox.
const scopedSignals = 6

// Weakness returns a sentence about the restrictions that this system does not enforce, or "".
func Weakness() string {
	version, err := landlocksys.LandlockGetABIVersion()
	if err != nil {
		version = 0
	}
	_, unknown := allowedCalls(false)
	return describeWeakness(version, seccomp.Supported() && unknown == nil)
}

func describeWeakness(landlockVersion int, filters bool) string {
	var weak []string
	switch {
	case landlockVersion < 1:
		weak = append(weak, "children can read the files of the service, because the kernel has no Landlock")
	case landlockVersion < scopedSignals:
		weak = append(weak, "children can send signals to the service, because the kernel's Landlock is older than version 6")
	}
	if !filters {
		weak = append(weak, "children can open sockets, because the kernel has no seccomp filters")
	}
	return strings.Join(weak, "; ")
}

// enterSandbox denies this process everything that its work does not need: files other than the program that it will
// execute and its readable files, sockets, writes, signals to other processes and rare system calls. program is "" for
// a task of this program, which opens no files and executes no program. Mechanisms that the kernel lacks are left out;
// Weakness reports them.
func enterSandbox(program string, readable []string) error {
	rules, err := fileRules(program, readable)
	if err != nil {
		return err
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("applying Landlock: %w", err)
	}
	if !seccomp.Supported() {
		return nil
	}
	policy, err := allowedCalls(program != "")
	if err != nil {
		return nil //nolint:nilerr // Weakness reports an architecture without filters.
	}
	// All threads get the filter; a new one inherits it.
	if err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy}); err != nil {
		return fmt.Errorf("applying the filter of system calls: %w", err)
	}
	return nil
}

// fileRules returns the files that a child may use.
func fileRules(program string, readable []string) ([]landlock.Rule, error) {
	if program == "" {
		return nil, nil
	}
	executed := []string{program}
	loader, err := programInterpreter(program)
	if err != nil {
		return nil, err
	}
	for loader != "" && len(executed) < 4 {
		executed = append(executed, loader)
		if loader, err = programInterpreter(loader); err != nil {
			return nil, err
		}
	}
	rules := []landlock.Rule{landlock.PathAccess(landlocksys.AccessFSExecute|landlocksys.AccessFSReadFile, executed...)}
	for _, path := range slices.Concat(readable, systemLibraries()) {
		var access landlock.AccessFSSet = landlocksys.AccessFSReadFile
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			access |= landlocksys.AccessFSReadDir
		}
		rules = append(rules, landlock.PathAccess(access, path).IgnoreIfMissing())
	}
	return rules, nil
}

// programInterpreter returns the program that the kernel starts to execute path: the dynamic linker of an ELF file, the
// interpreter of a script, or "" for neither.
func programInterpreter(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // The operator names the program.
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	binary, err := elf.NewFile(file)
	if err != nil {
		line, _ := bufio.NewReader(file).ReadString('\n')
		words := strings.Fields(strings.TrimPrefix(line, "#!"))
		if !strings.HasPrefix(line, "#!") || len(words) == 0 {
			return "", nil
		}
		return words[0], nil
	}
	for _, segment := range binary.Progs {
		if segment.Type == elf.PT_INTERP {
			name := make([]byte, min(segment.Filesz, unix.PathMax))
			if _, err := segment.ReadAt(name, 0); err != nil {
				return "", fmt.Errorf("reading %s: %w", path, err)
			}
			return unix.ByteSliceToString(name), nil
		}
	}
	return "", nil
}

// allowedCalls returns the filter of system calls. It allows every call in the table of this architecture but the denied
// ones. Calls in the table of another architecture and calls of newer kernels are denied as well. execute allows the
// child to execute a program.
func allowedCalls(execute bool) (seccomp.Policy, error) {
	table, err := arch.GetInfo("")
	if err != nil {
		return seccomp.Policy{}, err
	}
	denied := deniedCalls()
	denied["execve"] = !execute
	var allowed []string
	for name := range table.SyscallNames {
		if !denied[name] {
			allowed = append(allowed, name)
		}
	}
	if len(allowed) == 0 {
		return seccomp.Policy{}, errors.New("the system calls of this architecture are not known")
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{{Action: seccomp.ActionAllow, Names: allowed, NamesWithCondtions: []seccomp.NameWithConditions{
			// Limits of this process, not of others.
			{Name: "prlimit64", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.Equal, Value: 0}}},
		}}},
	}, nil
}

func deniedCalls() map[string]bool {
	denied := map[string]bool{"execveat": true, "prlimit64": true}
	for _, names := range deniedGroups() {
		for name := range strings.FieldsSeq(names) {
			denied[name] = true
		}
	}
	return denied
}

// deniedGroups returns the system calls that no child needs. Names that an architecture lacks have no effect.
func deniedGroups() []string {
	return []string{
		// Sockets.
		"socket socketpair socketcall bind connect listen accept accept4 sendto sendmsg sendmmsg recvmsg recvmmsg",
		// Queues of operations, which pass a filter by.
		"io_uring_setup io_uring_enter io_uring_register io_setup io_submit",
		// Changes of files; Landlock covers some of them.
		"creat mkdir mkdirat mknod mknodat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat",
		"truncate truncate64 ftruncate ftruncate64 fallocate",
		"chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat chown32 fchown32 lchown32 file_setattr",
		"utime utimes utimensat futimesat utimensat_time64",
		"setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat",
		"inotify_init inotify_init1 fanotify_init fanotify_mark",
		// Files without a path.
		"memfd_create memfd_secret open_by_handle_at name_to_handle_at",
		// Other processes.
		"ptrace process_vm_readv process_vm_writev process_madvise process_mrelease",
		"pidfd_open pidfd_getfd pidfd_send_signal kcmp move_pages migrate_pages",
		"setpriority ioprio_set sched_setaffinity sched_setscheduler sched_setparam sched_setattr",
		// Mounts and namespaces.
		"mount umount umount2 pivot_root chroot unshare setns open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick",
		"mount_setattr statmount listmount swapon swapoff",
		// Memory and queues that processes share.
		"shmget shmat shmdt shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl ipc",
		"mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
		// The kernel.
		"bpf perf_event_open userfaultfd add_key request_key keyctl kexec_load kexec_file_load init_module finit_module delete_module",
		"reboot syslog acct quotactl quotactl_fd personality lookup_dcookie nfsservctl vhangup sethostname setdomainname",
		"settimeofday clock_settime clock_settime64 clock_adjtime clock_adjtime64 adjtimex stime iopl ioperm modify_ldt vm86 vm86old",
	}
}
