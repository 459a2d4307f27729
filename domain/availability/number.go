package availability

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// parseNumber is tonumber for numbers that fit into a machine word: jq's own makes numbers of any length.
func parseNumber(_ patterns, in any, _ []any) any {
	text, ok := in.(string)
	if !ok {
		if in == nil {
			return fmt.Errorf("tonumber cannot be applied to %s", gojq.TypeOf(in))
		}
		return in
	}
	if n, err := strconv.Atoi(text); err == nil && len(text) <= maxDigits && text[0] != '+' {
		return n
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.eE+-", r) }) || text[0] == '+' {
		return fmt.Errorf("tonumber cannot be applied to %.50q", text)
	}
	return n
}
