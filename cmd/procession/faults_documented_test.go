package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// documentedFaults returns the rows of the table of faults by name.
func documentedFaults(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "\n## Signs of faults\n")
	require.True(t, found)
	section, _, _ := strings.Cut(after, "\n## ")
	rows := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^\| ([A-Z][^|]*) \|.* \d+ \|$`).FindAllStringSubmatch(section, -1) {
		rows[line[1]] = line[0]
	}
	return rows
}

// alertRules returns the expressions of deploy/prometheus/alerts.yaml by alert.
func alertRules(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	require.NoError(t, err)
	var read struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &read))
	rules := map[string]string{}
	for _, rule := range read.Groups[0].Rules {
		rules[rule.Alert] = rule.Expr
	}
	return rules
}
