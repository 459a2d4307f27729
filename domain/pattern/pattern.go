// Package pattern translates patterns of ECMA-262 to RE2, and estimates the cost of regular expressions.
package pattern

import "regexp/syntax"

// rangesPerInstruction is how many ranges of a class of characters cost as much as an instruction.
const rangesPerInstruction = 16

// Size estimates the number of instructions of a compiled regular expression, up to limit+1. The search for it takes
// time that is at most proportional to the size times the length of the text.
func Size(parsed *syntax.Regexp, limit int) int {
	size := 1
	switch parsed.Op { //nolint:exhaustive // the others are one instruction and their parts
	case syntax.OpLiteral:
		size = len(parsed.Rune)
	case syntax.OpCharClass:
		size += len(parsed.Rune) / rangesPerInstruction
	}
	for _, part := range parsed.Sub {
		size = min(size+Size(part, limit), limit+1)
	}
	if parsed.Op == syntax.OpRepeat {
		size = min(size*max(parsed.Min, parsed.Max, 1), limit+1)
	}
	return size
}
