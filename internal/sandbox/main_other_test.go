//go:build !linux

package sandbox_test

import "github.com/procession-dev/procession/internal/sandbox"

// try needs the sandbox of Linux.
var try sandbox.Task
