package config

import (
	"os"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func TestEverySettingIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/operations.md")
	require.NoError(t, err)
	new(Config).VisitSettings(func(f *pflag.Flag) {
		described := regexp.MustCompile("(?m)`(--)?" + f.Name + "[` =]|^procession .*--" + f.Name + "[ =]|" + variableName(f.Name) + "[`=]")
		require.True(t, described.Match(text), "docs/operations.md does not describe --%s", f.Name)
	})
}
