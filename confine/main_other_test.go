//go:build !linux

package confine_test

import "github.com/procession-dev/procession/confine"

// try needs the sandbox of Linux.
var try confine.Task
