//go:build !linux

package confine

import (
	"errors"
	"runtime"
)

// Weakness says what limits do not hold here, "" for none.
func Weakness() string {
	return "memory and processor time of children are not limited on " + runtime.GOOS
}

func restrict(Limits, bool) error { return nil }

func become([]string) error { return errors.New("programs are started by the parent") }
