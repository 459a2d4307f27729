package availability

// The costs of functions in steps, for one output of each single argument.

func steps(n int) func(*call) int { return func(*call) int { return n } }

func perLength(n int) func(*call) int {
	return func(the *call) int { return product(n, the.length) }
}

func perArgument(n int) func(*call) int {
	return func(the *call) int { return product(n, the.args[0].outputs) }
}

func perElementOutput(n int) func(*call) int {
	return func(the *call) int { return product(n, the.length, max(the.args[0].outputs, 1)) }
}

func perOutputOutput(n int) func(*call) int {
	return func(the *call) int { return product(n, the.args[0].outputs, max(the.args[1].outputs, 1)) }
}

func compareElements(n int) func(*call) int {
	return func(the *call) int { return product(n, the.length, comparisonCost(the.contents, the.contents)) }
}

// compareKeys is for functions that make an array of the outputs for every element, and compare these.
func compareKeys(n int) func(*call) int {
	return func(the *call) int {
		key := arrayOf(the.args[0], the.args[0].outputs)
		return product(the.length, 3+key.length+n*comparisonCost(key, key))
	}
}

func costOfReading(the *call) int { return 1 + readCost(the.in) }

func costOfRewriting(the *call) int { return 1 + 2*writeCost(the.in) }

func costOfPrinting(the *call) int { return the.in.nodes() + writeCost(printedText(the)) }

func costOfIN(the *call) int {
	return product(the.args[0].outputs, 3+comparisonCost(the.in, the.args[0]))
}

func costOfIN2(the *call) int {
	return product(the.args[0].outputs, the.args[1].outputs, 5+comparisonCost(the.args[0], the.args[1]))
}

func costOfRange(the *call) int { return product(2, numbers(the).outputs) }

func costOfContains(the *call) int { return containmentCost(the.in, the.args[0]) }

func costOfInside(the *call) int { return containmentCost(the.args[0], the.in) }

func costOfSum(the *call) int {
	total := sum(the)
	return 2*the.length + writeCost(total) + total.length/4
}

func costOfFlat(the *call) int {
	_, length := leaves(the.in)
	return length
}

func costOfIndex(the *call) int {
	part := the.args[0]
	cost := 0
	if the.in.kinds&texts != 0 {
		// The characters are made values, and compared one by one.
		cost = the.in.longest/2 + product(the.in.longest, part.longest)/16
	}
	if the.in.kinds&array != 0 {
		parts, length := part.contents()
		cost += product(2+the.length, comparisonCost(the.contents, part)+product(length, comparisonCost(the.contents, parts)))
	}
	return 1 + cost
}

func costOfJoined(the *call) int { return 2*the.length + writeCost(joinedText(the)) }

func costOfPieces(the *call) int { return 1 + pieces(the).length/2 + readCost(the.in) }

func costOfFormat(the *call) int { return 3 + 2*the.args[0].longest }
