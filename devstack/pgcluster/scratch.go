package pgcluster

import (
	"os"
	"syscall"
)

const (
	memoryDir = "/dev/shm"
	// memoryWanted is the free space, in bytes, a cluster for tests needs.
	memoryWanted = 1 << 30
)

// ScratchDir returns the directory in which to make a short-lived cluster:
// /dev/shm, where disk speed does not matter, when it has more than 1 GiB free,
// else the directory for temporary files. Make a directory of your own in it
// with os.MkdirTemp, one level deep: a server that runs as another user must be
// able to pass through.
func ScratchDir() string {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(memoryDir, &stat); err != nil {
		return os.TempDir()
	}
	if info, err := os.Stat(memoryDir); err != nil || info.Mode().Perm()&0o002 == 0 {
		return os.TempDir()
	}
	if stat.Bavail*uint64(stat.Bsize) <= memoryWanted { //nolint:gosec,unconvert,nolintlint // a block size is positive, and its type differs between systems
		return os.TempDir()
	}
	return memoryDir
}
