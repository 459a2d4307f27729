package availability

// The costs of functions in steps, for one output of each single argument.

func fixedSteps(n int) func(*call) int { return func(*call) int { return n } }

func perLength(n int) func(*call) int {
	return func(callee *call) int { return multiplyCosts(n, callee.length) }
}

func perArgument(n int) func(*call) int {
	return func(callee *call) int { return multiplyCosts(n, callee.args[0].outputs) }
}

func perElementOutput(n int) func(*call) int {
	return func(callee *call) int { return multiplyCosts(n, callee.length, max(callee.args[0].outputs, 1)) }
}

func perOutputOutput(n int) func(*call) int {
	return func(callee *call) int {
		return multiplyCosts(n, callee.args[0].outputs, max(callee.args[1].outputs, 1))
	}
}

func compareElements(n int) func(*call) int {
	return func(callee *call) int {
		return multiplyCosts(n, callee.length, comparisonCost(callee.contents, callee.contents))
	}
}

// compareKeys is for functions that make an array of the outputs for every element, and compare these.
func compareKeys(n int) func(*call) int {
	return func(callee *call) int {
		key := arrayOf(callee.args[0], callee.args[0].outputs)
		return multiplyCosts(callee.length, 3+key.length+n*comparisonCost(key, key))
	}
}

func costOfReading(callee *call) int { return 1 + readCost(callee.in) }

func costOfRewriting(callee *call) int { return 1 + 2*writeCost(callee.in) }

func costOfPrinting(callee *call) int {
	return callee.in.countValues() + writeCost(printedText(callee))
}

func costOfIN(callee *call) int {
	return multiplyCosts(callee.args[0].outputs, 3+comparisonCost(callee.in, callee.args[0]))
}

func costOfIN2(callee *call) int {
	return multiplyCosts(callee.args[0].outputs, callee.args[1].outputs, 5+comparisonCost(callee.args[0], callee.args[1]))
}

func costOfRange(callee *call) int { return multiplyCosts(2, numbersOf(callee).outputs) }

func costOfContains(callee *call) int { return containmentCost(callee.in, callee.args[0]) }

func costOfInside(callee *call) int { return containmentCost(callee.args[0], callee.in) }

func costOfSum(callee *call) int {
	total := sumOf(callee)
	return 2*callee.length + writeCost(total) + total.length/4
}

func costOfFlat(callee *call) int {
	_, length := flattenLeaves(callee.in)
	return length
}

func costOfIndex(callee *call) int {
	part := callee.args[0]
	cost := 0
	if callee.in.kinds&texts != 0 {
		// The characters are made values, and compared one by one.
		cost = callee.in.longest/2 + multiplyCosts(callee.in.longest, part.longest)/16
	}
	if callee.in.kinds&array != 0 {
		parts, length := part.contentValues()
		cost += multiplyCosts(2+callee.length, comparisonCost(callee.contents, part)+multiplyCosts(length, comparisonCost(callee.contents, parts)))
	}
	return 1 + cost
}

func costOfJoined(callee *call) int { return 2*callee.length + writeCost(joinedText(callee)) }

func costOfPieces(callee *call) int { return 1 + piecesOf(callee).length/2 + readCost(callee.in) }

func costOfFormat(callee *call) int { return 3 + 2*callee.args[0].longest }
