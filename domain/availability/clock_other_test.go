//go:build !linux

package availability

import (
	"testing"
	"time"
)

var begun = time.Now()

// processorTime returns the time that has passed: the time of a thread alone is not known on this system.
func processorTime(*testing.T) time.Duration { return time.Since(begun) }
