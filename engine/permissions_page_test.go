package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of permissions names each call to Temporal.
func TestPageOfPermissionsIsCurrent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/temporal.md")
	require.NoError(t, err)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	call := regexp.MustCompile(`\be\.(?:workflows|operator)\.([A-Z]\w+)\(`)
	named := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range call.FindAllStringSubmatch(string(source), -1) {
			require.Contains(t, string(page), "`"+found[1]+"`", file)
			named++
		}
	}
	require.Greater(t, named, 15)
}
