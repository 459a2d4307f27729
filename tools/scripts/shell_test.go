package scripts_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Commands to copy are made by domain/shell, which quotes their words: no other place converts a text to a line.
func TestCommandsAreQuoted(t *testing.T) {
	t.Parallel()
	conversion := regexp.MustCompile(`shell\.Line\(`)
	handWritten(t, `\.(go|templ)$`, func(path string, text []byte) {
		if !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "domain/shell/") {
			require.False(t, conversion.Match(text), "%s makes a line without quoting its words", path)
		}
	})
}
