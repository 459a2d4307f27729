package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// choice is a setting with one of a few values.
type choice struct {
	to     *string
	values []string
}

// bindChoice declares the flag of a choice. The first value is the default.
func bindChoice(f *pflag.FlagSet, to *string, name, usage string, values ...string) {
	*to = values[0]
	f.Var(&choice{to: to, values: values}, name, usage)
}

// Set implements pflag.Value.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.values, text) {
		last := len(c.values) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(c.values[:last], ", "), c.values[last])
	}
	*c.to = text
	return nil
}

// String implements pflag.Value.
func (c *choice) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}

// Type implements pflag.Value.
func (*choice) Type() string { return "string" }
