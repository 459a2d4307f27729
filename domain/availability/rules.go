package availability

import "math"

// The outputs of functions, as functions of the types of their inputs and arguments.

const (
	// lengthBits is the maximum length in bits of the length of anything in a model.
	lengthBits = 32
	// digitBits is the maximum length in bits of an integer of maxDigits digits.
	digitBits = 50
)

func resultOf(kinds kind) func(*call) value { return func(*call) value { return one(kinds) } }

func inputWithoutNull(the *call) value {
	v := the.in.each().without(null)
	v.exact, v.some = false, false
	return v
}

func noOutput(*call) value { return value{} }

func inputPerOutput(the *call) value {
	v := the.in.each()
	v.exact, v.some, v.outputs = false, false, the.args[0].outputs
	return v
}

func firstOutput(the *call) value {
	v := the.args[0]
	v.exact, v.outputs = v.some, min(v.outputs, 1)
	return v
}

func numbers(the *call) value {
	from, to, step := 0.0, *the.args[0].constant, 1.0
	if len(the.args) > 1 {
		from, to = to, *the.args[1].constant
	}
	if len(the.args) > 2 {
		step = *the.args[2].constant
	}
	v := numberOf(digitBits)
	v.exact, v.some, v.outputs = false, false, 0
	if step != 0 && (to-from)/step > 0 {
		v.outputs = int(math.Ceil(min((to-from)/step, enormous)))
	}
	return v
}

func count(the *call) value { return numberOf(lengthBits) }

func keys(the *call) value {
	if the.in.kinds&objects == 0 {
		return arrayOf(numberOf(lengthBits), the.length)
	}
	if the.in.kinds&array == 0 {
		return arrayOf(textOf(the.in.nameLength()), the.length)
	}
	return arrayOf(textOf(the.in.nameLength()).or(numberOf(lengthBits)), the.length)
}

func arrayOfOutputs(the *call) value {
	outputs := product(the.length, the.args[0].outputs)
	return arrayOf(the.args[0], outputs)
}

func sameContainer(the *call) value {
	v := arrayOf(the.args[0], the.length)
	v.kinds = the.in.kinds & array
	if the.in.kinds&objects != 0 {
		v.kinds |= dict
		v.longest = maxName
	}
	return v
}

// entry returns an object with the key and the value of a member of the input.
func entry(the *call) value {
	v := one(record)
	v.members = map[string]value{"key": textOf(the.in.nameLength()), "value": the.contents}
	return v
}

func entries(the *call) value { return arrayOf(entry(the), the.length) }

func fromEntries(the *call) value { return dictOf(the.contents.members["value"], the.length) }

func withEntries(the *call) value {
	return dictOf(the.args[0].members["value"], product(the.length, the.args[0].outputs))
}

func sum(the *call) value {
	v := the.contents
	v.kinds |= null
	switch kinds := the.contents.kinds; {
	case kinds&number != 0:
		v = numberOf(v.bits + math.Ilogb(float64(max(the.length, 1))) + 1).orNull()
	case kinds&texts != 0:
		v = textOf(product(v.longest, the.length)).orNull()
	default:
		v.length = product(v.length, the.length)
	}
	return v
}

func element(the *call) value { return the.contents.orNull() }

func sameArray(the *call) value { return arrayOf(the.contents, the.length) }

func groups(the *call) value { return arrayOf(arrayOf(the.contents, the.length), the.length) }

func flatArray(the *call) value { return arrayOf(leaves(the.in)) }

// leaves returns the values in nested arrays that are no arrays.
func leaves(v value) (value, int) {
	contents, length := v.contents()
	if contents.kinds&array == 0 {
		return contents, length
	}
	inner, innerLength := leaves(contents.without(objects))
	if rest := contents.without(array); rest.kinds != 0 {
		inner = inner.or(rest)
	}
	return inner, product(length, max(innerLength, 1))
}

func position(*call) value { return numberOf(lengthBits).orNull() }

func positions(the *call) value {
	v := arrayOf(numberOf(lengthBits), max(the.length, the.in.longest))
	v.kinds |= the.in.kinds & null
	return v
}

func joinedText(the *call) value {
	return textOf(product(the.length, printedLength(the.contents)+the.args[0].longest))
}

func sameText(the *call) value { return textOf(the.in.longest) }

func printedText(the *call) value { return textOf(printedLength(the.in)) }

func pieces(the *call) value {
	shortest := 1
	if separators := the.args[0].literals; separators != nil {
		shortest = the.in.longest
		for _, separator := range separators {
			shortest = min(shortest, len(separator.Str))
		}
	}
	return arrayOf(textOf(the.in.longest), 1+the.in.longest/max(shortest, 1))
}

func parsedNumber(the *call) value { return numberOf(max(digitBits, the.in.bits)) }

func sameNumber(the *call) value { return numberOf(the.in.bits) }

func seconds(*call) value { return numberOf(secondBits) }

func timeParts(*call) value { return arrayOf(numberOf(lengthBits), brokenDownLength) }

func formattedTime(the *call) value { return textOf(the.args[0].longest * longestConversion) }
