package server

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The guide describes every metric, and the alerts use no others.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	metric := regexp.MustCompile(`"(procession_[a-z_]+)"`)
	declared := map[string]bool{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range metric.FindAllStringSubmatch(string(source), -1) {
			declared[name[1]] = true
		}
	}
	require.Greater(t, len(declared), 25)

	guide, err := os.ReadFile("../../../docs/operations.md")
	require.NoError(t, err)
	for name := range declared {
		last := name[strings.LastIndex(name, "_"):]
		require.True(t, strings.Contains(string(guide), "`"+name+"`") || strings.Contains(string(guide), "`…"+last+"`"), "docs/operations.md does not describe %s", name)
	}
	rules, err := os.ReadFile("../../../deploy/prometheus/alerts.yaml")
	require.NoError(t, err)
	for _, text := range []string{string(guide), string(rules)} {
		for _, name := range regexp.MustCompile(`procession_[a-z_]+`).FindAllString(text, -1) {
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				if whole := strings.TrimSuffix(name, part); declared[whole] {
					name = whole
				}
			}
			require.True(t, declared[name] || name == "procession_service" || name == "procession_pooler", "%s is no metric", name)
		}
	}

	var read struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Expr        string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(rules, &read))
	require.Len(t, read.Groups, 1)
	seen := map[string]bool{}
	for _, rule := range read.Groups[0].Rules {
		require.False(t, seen[rule.Alert], rule.Alert)
		seen[rule.Alert] = true
		require.Equal(t, []string{"description", "summary"}, slices.Sorted(maps.Keys(rule.Annotations)), rule.Alert)
	}
}
