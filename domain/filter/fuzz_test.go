package filter_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/filter"
)

// FuzzParse checks that no expression makes Parse panic, that operands have the form of their type, and that a
// parsed expression parses to the same when it is written with all of it escaped.
func FuzzParse(f *testing.F) {
	f.Add("NAME in a%20b ñ %2B+")
	f.Add("AMOUNT between -1.50E+07 0")
	f.Add("DUE le 2024-01-31T23:30:00-05:00")
	f.Add("a%20b contains %00")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := filter.Parse(text, index())
		if err != nil {
			require.Zero(t, c)
			require.True(t, utf8.ValidString(err.Error()))
			require.Less(t, len(err.Error()), 1000)
			return
		}
		tokens := []string{encoded(c.Field), encoded(string(c.Operator))}
		for _, operand := range c.Operands {
			tokens = append(tokens, encoded(operand))
			require.True(t, utf8.ValidString(operand))
			require.NotContains(t, operand, "\x00")
			if c.Operator == filter.Contains {
				continue
			}
			switch c.Type {
			case filter.Number:
				require.True(t, json.Valid([]byte(operand)), operand)
				require.LessOrEqual(t, len(operand), 1000)
			case filter.String:
			case filter.Date:
				day, at, timed := filter.Moment(operand)
				written, err := time.Parse(time.DateOnly, day)
				require.NoError(t, err)
				require.Less(t, at.Sub(written).Abs(), 48*time.Hour)
				require.Equal(t, len(operand) > len(day), timed)
			}
		}
		again, err := filter.Parse(strings.Join(tokens, " "), index())
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}

// encoded returns text with every byte percent-encoded.
func encoded(text string) string {
	var out strings.Builder
	for i := range len(text) {
		out.WriteByte('%')
		out.WriteByte("0123456789ABCDEF"[text[i]>>4])
		out.WriteByte("0123456789abcdef"[text[i]&15])
	}
	return out.String()
}
