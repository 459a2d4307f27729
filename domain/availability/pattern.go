package availability

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/procession-dev/procession/domain/pattern"
)

const (
	// maxPattern limits the text of a pattern, in characters, and maxPatternSize the total size of all compiled
	// patterns of an expression, in instructions.
	maxPattern     = 200
	maxPatternSize = 2000
	// triesPerStep is how many instructions of a pattern are tried on a byte of a text in one step.
	triesPerStep = 20
)

// requirePattern checks the pattern of test, and counts the cost of a search.
func requirePattern(c *checker, callee *call) *refusal {
	text, flags := callee.args[0].literals[0].Str, ""
	if len(callee.args) > 1 {
		flags = callee.args[1].literals[0].Str
	}
	if strings.Trim(flags, "gi") != "" {
		return c.refuse("the flags of test are i, which ignores case, and g, and these are %q", flags)
	}
	parsed, fault := c.compilePattern(text, strings.Contains(flags, "i"))
	if fault != nil {
		return fault
	}
	return c.spend(1 + countTries(parsed, callee.in.longest)/triesPerStep)
}

// patterns are the compiled patterns of an expression.
type patterns map[search]*regexp.Regexp

// A search is a pattern as it is written, and whether it ignores case.
type search struct {
	pattern    string
	ignoreCase bool
}

// compilePattern compiles a pattern and returns its syntax. The size is computed before anything larger than the text is
// built.
func (c *checker) compilePattern(text string, ignoreCase bool) (*syntax.Regexp, *refusal) {
	if len([]rune(text)) > maxPattern {
		return nil, c.refuse("a pattern has no more than %d characters", maxPattern)
	}
	full := text
	if ignoreCase {
		full = "(?i)" + text
	}
	parsed, err := syntax.Parse(full, syntax.Perl)
	if err != nil {
		return nil, c.refuse("the pattern is not RE2: %s", err)
	}
	if c.patternSize += pattern.Size(parsed, maxPatternSize); c.patternSize > maxPatternSize {
		return nil, c.refuse("the pattern is too large")
	}
	if c.patterns[search{text, ignoreCase}], err = regexp.Compile(full); err != nil {
		return nil, c.refuse("the pattern is not RE2: %s", err)
	}
	return parsed, nil
}

func testText(p patterns, in any, args []any) any {
	text, ok := in.(string)
	expression, _ := args[0].(string)
	ignoreCase := false
	if len(args) > 1 {
		flags, _ := args[1].(string)
		ignoreCase = strings.Contains(flags, "i")
	}
	found := p[search{expression, ignoreCase}]
	if !ok || found == nil {
		return fmt.Errorf("test cannot be applied to %s", gojq.TypeOf(in))
	}
	return found.MatchString(text)
}

// countTries returns the maximum number of instructions that are tried in a text of the given length: each of them once
// for every place, but only once before the first repetition of a pattern that is bound to the beginning.
func countTries(parsed *syntax.Regexp, length int) int {
	if parsed.Op != syntax.OpConcat || parsed.Sub[0].Op != syntax.OpBeginText {
		return multiplyCosts(countChoices(parsed), length)
	}
	total, places := 0, 1
	for _, part := range parsed.Sub {
		if isRepeating(part) {
			places = length
		}
		total += multiplyCosts(countChoices(part), places)
	}
	return total
}

// countChoices estimates the number of instructions of a pattern that are tried at one place. Alternatives that begin with
// literals begin with different ones, so no more than one of them is tried to its end.
func countChoices(parsed *syntax.Regexp) int {
	size, longest := 1, 0
	switch parsed.Op { //nolint:exhaustive // the others have parts that are all tried
	case syntax.OpLiteral, syntax.OpCharClass:
		return pattern.Size(parsed, maxPatternSize)
	case syntax.OpRepeat:
		return min(multiplyCosts(1+countChoices(parsed.Sub[0]), max(parsed.Min, parsed.Max, 1)), maxPatternSize+1)
	}
	for _, part := range parsed.Sub {
		if parsed.Op == syntax.OpAlternate && beginsWithLiteral(part) {
			size, longest = size+1, max(longest, countChoices(part))
		} else {
			size += countChoices(part)
		}
	}
	return min(size+longest, maxPatternSize+1)
}

func beginsWithLiteral(parsed *syntax.Regexp) bool {
	if parsed.Op == syntax.OpConcat {
		parsed = parsed.Sub[0]
	}
	return parsed.Op == syntax.OpLiteral && parsed.Flags&syntax.FoldCase == 0
}

// isRepeating reports whether a part of a pattern matches texts of any length.
func isRepeating(parsed *syntax.Regexp) bool {
	switch parsed.Op { //nolint:exhaustive // the others match as they are, or have parts
	case syntax.OpStar, syntax.OpPlus:
		return true
	case syntax.OpRepeat:
		if parsed.Max < 0 {
			return true
		}
	}
	return slices.ContainsFunc(parsed.Sub, isRepeating)
}
