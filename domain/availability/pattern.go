package availability

import (
	"regexp"
	"regexp/syntax"

	"github.com/itchyny/gojq"
)

const (
	// maxPattern limits the text of a pattern, in characters, and maxPatternSize the total size of all compiled
	// patterns of an expression, in instructions.
	maxPattern     = 200
	maxPatternSize = 2000
	// usualText is the maximum length of the texts of a model in bytes.
	usualText = 64
	// instructionsPerStep is how many instructions of a pattern cost as much as one step, for a usual text.
	instructionsPerStep = 4
	// rangesPerInstruction is how many ranges of a class of characters cost as much as an instruction.
	rangesPerInstruction = 16
)

// test checks the search for a pattern, whose cost is its size times the length of the text.
func (c *checker) test(f *gojq.Func, in value) (value, *refusal) {
	offset := c.offset
	term := f.Args[0].Term
	if in.kinds&texts == 0 || !in.kinds.within(texts|null) || term == nil || term.Type != gojq.TermTypeString ||
		term.Str.Queries != nil || term.SuffixList != nil {
		return value{}, c.refuse("test is for a text, and a pattern in quotes")
	}
	pattern, refused := c.literal(term.Str)
	if refused != nil {
		return value{}, refused
	}
	c.offset = offset
	size, refused := c.pattern(pattern.literals[0].Str)
	if refused != nil {
		return value{}, refused
	}
	f.Name = matches
	return one(boolean), c.spend(1 + size*(max(in.longest, usualText)/usualText)/instructionsPerStep)
}

// pattern compiles a pattern and returns its size. The size is computed before anything larger than the text is
// built.
func (c *checker) pattern(text string) (int, *refusal) {
	if len([]rune(text)) > maxPattern {
		return 0, c.refuse("a pattern has no more than %d characters", maxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, c.refuse("the pattern is not RE2: %s", err)
	}
	size := instructions(parsed)
	if c.patternSize += size; c.patternSize > maxPatternSize {
		return 0, c.refuse("the pattern is too large")
	}
	if c.patterns[text] == nil {
		if c.patterns[text], err = regexp.Compile(text); err != nil {
			return 0, c.refuse("the pattern is not RE2: %s", err)
		}
	}
	return size, nil
}

// instructions estimates the number of instructions of a compiled pattern.
func instructions(pattern *syntax.Regexp) int {
	size := 1
	switch pattern.Op { //nolint:exhaustive // the others are one instruction and what they have below them
	case syntax.OpLiteral:
		size = len(pattern.Rune)
	case syntax.OpCharClass:
		size += len(pattern.Rune) / rangesPerInstruction
	}
	for _, part := range pattern.Sub {
		size = min(size+instructions(part), maxPatternSize+1)
	}
	if pattern.Op == syntax.OpRepeat {
		size = min(size*max(pattern.Min, pattern.Max, 1), maxPatternSize+1)
	}
	return size
}
