package availability

const (
	// bytesRead and bytesWritten are how many bytes of a text are read and written in one step.
	bytesRead    = 64
	bytesWritten = 24
	// escaped is the maximum number of bytes of a character in JSON.
	escaped = 6
	// numberLength is the maximum length of a number in JSON.
	numberLength = 32
	// maxShape limits the types of the values within a value.
	maxShape = 100
	// enormous stands for every cost that is too high.
	enormous = 1 << 30
)

// multiplyCosts multiplies costs without an overflow.
func multiplyCosts(factors ...int) int {
	result := 1
	for _, factor := range factors {
		result = min(result*min(factor, enormous), enormous)
	}
	return result
}

// countTypes returns the number of types within v.
func (v value) countTypes() int {
	size := 1
	if v.elements != nil {
		size += v.elements.countTypes()
	}
	for _, member := range v.members {
		size += member.countTypes()
	}
	return size
}

// countValues returns the maximum number of values within v, itself included.
func (v value) countValues() int {
	contents, length := v.contentValues()
	if length == 0 {
		return 1
	}
	return 1 + multiplyCosts(length, contents.countValues())
}

// jsonLength returns the maximum length of v in JSON, in bytes.
func (v value) jsonLength() int {
	longest := 2
	if v.kinds&number != 0 {
		longest = numberLength
	}
	if v.kinds&text != 0 {
		longest = max(longest, 2+escaped*v.longest)
	} else if v.kinds&texts != 0 {
		longest = max(longest, 2+v.longest)
	}
	contents, length := v.contentValues()
	if length == 0 {
		return max(longest, len("false"))
	}
	member := contents.jsonLength() + len(`,"":`)
	if v.kinds&objects != 0 {
		member += escaped * v.nameLength()
	}
	return max(longest, 2+multiplyCosts(length, member))
}

// nameLength returns the maximum length of the names of the members of an object.
func (v value) nameLength() int {
	longest := 0
	switch {
	case v.kinds&dict != 0:
		longest = maxName
	case v.kinds&tasks != 0:
		longest = codeLength
	case v.kinds&(root|process|task) != 0:
		longest = len("lastModifiedAt")
	}
	for name := range v.members {
		longest = max(longest, len(name))
	}
	return longest
}

// readCost returns the cost of reading a text of v.
func readCost(v value) int { return v.longest / bytesRead }

// writeCost returns the cost of making a text of v.
func writeCost(v value) int { return v.longest / bytesWritten }

// comparisonCost returns the cost of comparing two values.
func comparisonCost(v, other value) int {
	cost := 1 + min(readCost(v), readCost(other))
	contents, length := v.contentValues()
	others, otherLength := other.contentValues()
	if v.kinds&objects != 0 && other.kinds&objects != 0 {
		// The names are sorted.
		cost += 2 * (length + otherLength)
	}
	if v.kinds&container != 0 && other.kinds&container != 0 && min(length, otherLength) > 0 {
		cost += multiplyCosts(min(length, otherLength), comparisonCost(contents, others))
	}
	return cost
}

// containmentCost returns the cost of looking for a value in another one, part by part.
func containmentCost(v, part value) int {
	cost := 1 + readCost(v) + readCost(part)
	contents, length := v.contentValues()
	parts, partLength := part.contentValues()
	switch {
	case length == 0 || partLength == 0:
	case v.kinds&array != 0 && part.kinds&array != 0:
		cost += multiplyCosts(length, partLength, containmentCost(contents, parts))
	default:
		cost += multiplyCosts(partLength, containmentCost(contents, parts))
	}
	return cost
}

// printedLength returns the maximum length of the text that tostring makes of v.
func printedLength(v value) int {
	if v.kinds.isWithin(texts) {
		return v.longest
	}
	return max(v.longest, v.jsonLength())
}
