package availability

import "math"

// The outputs of functions, as functions of the types of their inputs and arguments.

const (
	// lengthBits is the maximum length in bits of the length of anything in a model.
	lengthBits = 32
	// digitBits is the maximum length in bits of an integer of maxDigits digits.
	digitBits = 50
)

func resultOf(kinds kind) func(*call) value { return func(*call) value { return singleOf(kinds) } }

func inputWithoutNull(callee *call) value {
	v := callee.in.eachOutput().withoutKinds(null)
	v.exact, v.some = false, false
	return v
}

func noOutput(*call) value { return value{} }

func inputPerOutput(callee *call) value {
	v := callee.in.eachOutput()
	v.exact, v.some, v.outputs = false, false, callee.args[0].outputs
	return v
}

func firstOutput(callee *call) value {
	v := callee.args[0]
	v.exact, v.outputs = v.some, min(v.outputs, 1)
	return v
}

func numbersOf(callee *call) value {
	from, to, step := 0.0, *callee.args[0].constant, 1.0
	if len(callee.args) > 1 {
		from, to = to, *callee.args[1].constant
	}
	if len(callee.args) > 2 {
		step = *callee.args[2].constant
	}
	v := numberOf(digitBits)
	v.exact, v.some, v.outputs = false, false, 0
	if step != 0 && (to-from)/step > 0 {
		v.outputs = int(math.Ceil(min((to-from)/step, enormous)))
	}
	return v
}

func countOf(callee *call) value { return numberOf(lengthBits) }

func keysOf(callee *call) value {
	if callee.in.kinds&objects == 0 {
		return arrayOf(numberOf(lengthBits), callee.length)
	}
	if callee.in.kinds&array == 0 {
		return arrayOf(textOf(callee.in.nameLength()), callee.length)
	}
	return arrayOf(textOf(callee.in.nameLength()).unionWith(numberOf(lengthBits)), callee.length)
}

func arrayOfOutputs(callee *call) value {
	outputs := multiplyCosts(callee.length, callee.args[0].outputs)
	return arrayOf(callee.args[0], outputs)
}

func sameContainer(callee *call) value {
	v := arrayOf(callee.args[0], callee.length)
	v.kinds = callee.in.kinds & array
	if callee.in.kinds&objects != 0 {
		v.kinds |= dict
		v.longest = maxName
	}
	return v
}

// entryOf returns an object with the key and the value of a member of the input.
func entryOf(callee *call) value {
	v := singleOf(record)
	v.members = map[string]value{"key": textOf(callee.in.nameLength()), "value": callee.contents}
	return v
}

func entriesOf(callee *call) value { return arrayOf(entryOf(callee), callee.length) }

func fromEntries(callee *call) value { return dictOf(callee.contents.members["value"], callee.length) }

func withEntries(callee *call) value {
	return dictOf(callee.args[0].members["value"], multiplyCosts(callee.length, callee.args[0].outputs))
}

func sumOf(callee *call) value {
	v := callee.contents
	v.kinds |= null
	switch kinds := callee.contents.kinds; {
	case kinds&number != 0:
		v = numberOf(v.bits + math.Ilogb(float64(max(callee.length, 1))) + 1).orNull()
	case kinds&texts != 0:
		v = textOf(multiplyCosts(v.longest, callee.length)).orNull()
	default:
		v.length = multiplyCosts(v.length, callee.length)
	}
	return v
}

func elementOf(callee *call) value { return callee.contents.orNull() }

func sameArray(callee *call) value { return arrayOf(callee.contents, callee.length) }

func groupsOf(callee *call) value {
	return arrayOf(arrayOf(callee.contents, callee.length), callee.length)
}

func flatArray(callee *call) value { return arrayOf(flattenLeaves(callee.in)) }

// flattenLeaves returns the values in nested arrays that are no arrays.
func flattenLeaves(v value) (value, int) {
	contents, length := v.contentValues()
	if contents.kinds&array == 0 {
		return contents, length
	}
	inner, innerLength := flattenLeaves(contents.withoutKinds(objects))
	if rest := contents.withoutKinds(array); rest.kinds != 0 {
		inner = inner.unionWith(rest)
	}
	return inner, multiplyCosts(length, max(innerLength, 1))
}

func positionOf(*call) value { return numberOf(lengthBits).orNull() }

func positionsOf(callee *call) value {
	v := arrayOf(numberOf(lengthBits), max(callee.length, callee.in.longest))
	v.kinds |= callee.in.kinds & null
	return v
}

func joinedText(callee *call) value {
	return textOf(multiplyCosts(callee.length, printedLength(callee.contents)+callee.args[0].longest))
}

func sameText(callee *call) value { return textOf(callee.in.longest) }

func printedText(callee *call) value { return textOf(printedLength(callee.in)) }

func piecesOf(callee *call) value {
	shortest := 1
	if separators := callee.args[0].literals; separators != nil {
		shortest = callee.in.longest
		for _, separator := range separators {
			shortest = min(shortest, len(separator.Str))
		}
	}
	return arrayOf(textOf(callee.in.longest), 1+callee.in.longest/max(shortest, 1))
}

func parsedNumber(callee *call) value { return numberOf(max(digitBits, callee.in.bits)) }

func sameNumber(callee *call) value { return numberOf(callee.in.bits) }

func secondsOf(*call) value { return numberOf(secondBits) }

func timeParts(*call) value { return arrayOf(numberOf(lengthBits), brokenDownLength) }

func formattedTime(callee *call) value { return textOf(callee.args[0].longest * longestConversion) }
