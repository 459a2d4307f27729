package config

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// deferredValue is the value of a flag that accepts any text while the command line is parsed. Load reports an invalid one,
// together with everything else that is wrong.
type deferredValue struct {
	pflag.Value

	text string
}

// DeferFlags lets Load report invalid values of the flags of settings, instead of the parser of the command line, which stops at the
// first one.
func DeferFlags(flags *pflag.FlagSet) {
	new(Config).VisitSettings(func(setting *pflag.Flag) {
		f := flags.Lookup(setting.Name)
		f.Value = &deferredValue{Value: f.Value, text: f.Value.String()}
	})
}

// Set implements pflag.Value.
func (v *deferredValue) Set(text string) error {
	v.text = text
	before := v.Value.String() //nolint:staticcheck // String of the flag, not of deferredValue
	if v.Value.Set(text) != nil {
		// The value before was valid.
		_ = v.Value.Set(before)
	}
	return nil
}

// undefer returns the value of a flag and the text that it was set to.
func undefer(value pflag.Value) (pflag.Value, string) {
	if deferred, ok := value.(*deferredValue); ok {
		return deferred.Value, deferred.text
	}
	return value, value.String()
}

// describeFault returns the error that the value of a flag cannot be read, with the valid form.
func describeFault(f *pflag.Flag, err error) error {
	var rule string
	switch kind := f.Value.Type(); {
	case f.Name == logLevelFlag:
		rule = "must be debug, info, warn or error"
	case kind == "duration":
		rule = "must be a duration such as 90s or 24h"
	case strings.HasPrefix(kind, "int"):
		rule = "must be a whole number"
	case kind == "bool":
		rule = "must be true or false"
	default:
		return fmt.Errorf("--%s %w %s", f.Name, err, listPlaces(f.Name))
	}
	return newFault(f.Name, rule)
}
