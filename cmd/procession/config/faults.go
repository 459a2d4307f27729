package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// faults collects the invalid settings of a configuration, so that all of them are reported at once.
type faults struct{ all []error }

// require records a fault of a setting unless ok. The rule completes a sentence about the flag, such as "must be positive".
func (f *faults) require(ok bool, setting, rule string) {
	if !ok {
		f.all = append(f.all, newFault(setting, rule))
	}
}

// add records the fault of a setting that an error describes, if any.
func (f *faults) add(setting string, err error) {
	if err != nil {
		f.all = append(f.all, fmt.Errorf("--%s %w %s", setting, err, listPlaces(setting)))
	}
}

// join returns all faults, nil for none.
func (f *faults) join() error { return errors.Join(f.all...) }

// newFault returns the error that a setting breaks a rule. It names each place where the setting may be.
func newFault(setting, rule string) error {
	return fmt.Errorf("--%s %s %s", setting, rule, listPlaces(setting))
}

// listPlaces returns the environment variable of a setting and its key in the file.
func listPlaces(setting string) string {
	return fmt.Sprintf("(variable %s, key %s)", variableName(setting), setting)
}

// isAddress reports whether text is host:port with a number as port. The host may be empty.
func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || strings.ContainsAny(host, " /@") {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}
