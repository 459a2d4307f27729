package config

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/webhook"
)

// The page of limits shows the defaults of the settings that it names, and the limits that the code has.
func TestPageOfLimitsIsCurrent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/limits.md")
	require.NoError(t, err)
	defaults := map[string]string{}
	new(Config).VisitSettings(func(f *pflag.Flag) { defaults[f.Name] = f.DefValue })
	named := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, match := range regexp.MustCompile("`--([\\w-]+)`").FindAllStringSubmatch(cells[1], -1) {
			named++
			require.Contains(t, defaults, match[1])
			require.Contains(t, cells[2], spoken(defaults[match[1]]), match[1])
		}
	}
	require.Greater(t, named, 10)
	for row, limit := range map[string]int{
		"answer of a webhook receiver": webhook.MaxAnswer,
		"attempts of a webhook":        webhook.Attempts,
	} {
		require.Regexp(t, `(?m)^\| `+regexp.QuoteMeta(row)+`.*\b`+spoken(strconv.Itoa(limit))+`\b`, string(text))
	}
}

// spoken writes the default of a setting as documents do.
func spoken(value string) string {
	if d, err := time.ParseDuration(value); err == nil && d != 0 {
		if d >= time.Hour {
			if d%(365*24*time.Hour) == 0 {
				return fmt.Sprintf("%d year", d/(365*24*time.Hour))
			}
			if d%(24*time.Hour) == 0 && d > 24*time.Hour {
				return fmt.Sprintf("%d days", d/(24*time.Hour))
			}
			return fmt.Sprintf("%d h", d/time.Hour)
		}
		return fmt.Sprintf("%d s", d/time.Second)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return value
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1000:
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return value
}
