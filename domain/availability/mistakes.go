package availability

// The checks of the types of arguments, which find mistakes before an evaluation fails.

func compareInput(c *checker, callee *call) *refusal {
	return c.checkComparable(callee.in, callee.args[0])
}

func compareStreams(c *checker, callee *call) *refusal {
	return c.checkComparable(callee.args[0], callee.args[1])
}

func requireBounds(c *checker, callee *call) *refusal {
	for _, bound := range callee.args {
		if bound.kinds != number || bound.constant == nil {
			return c.refuse("range is for numbers that are written out, such as range(5)")
		}
	}
	return nil
}

func requireNumber(c *checker, callee *call) *refusal { return c.checkArgument(callee, number) }

func requireText(c *checker, callee *call) *refusal { return c.checkArgument(callee, texts) }

// checkArgument refuses a first argument that is never of the given types, or of others than these and null.
func (c *checker) checkArgument(callee *call, kinds kind) *refusal {
	if actual := callee.args[0].kinds; !actual.isMostly(kinds) {
		return c.refuse("the argument of %s is %s, and this is %s", callee.name, kinds, actual)
	}
	return nil
}

func requireName(c *checker, callee *call) *refusal {
	return c.checkName(callee, callee.in, callee.args[0])
}

func requireNameIn(c *checker, callee *call) *refusal {
	return c.checkName(callee, callee.args[0], callee.in)
}

// checkName checks that a text is looked up in an object, or a number in an array.
func (c *checker) checkName(callee *call, in, name value) *refusal {
	object := in.kinds.isMostly(objects) && name.kinds.isMostly(texts)
	list := in.kinds.isMostly(array) && name.kinds.isMostly(number)
	switch {
	case !object && !list:
		return c.refuse("%s is for the name of a member of an object, or for the number of an element of an array", callee.name)
	case in.kinds&tasks == 0:
	case name.literals == nil:
		c.needs.every = true
	default:
		for _, literal := range name.literals {
			c.needs.codes[literal.Str] = struct{}{}
		}
	}
	return nil
}

// sameType refuses to look for a value in one of another type.
func requireSameType(c *checker, callee *call) *refusal {
	if callee.in.kinds.jqClasses()&callee.args[0].kinds.jqClasses() == 0 {
		return c.refuse("%s is for two values of one type, and these are %s and %s", callee.name, callee.in.kinds, callee.args[0].kinds)
	}
	return nil
}

func requireEntries(c *checker, callee *call) *refusal {
	return c.checkEntries(callee, callee.contents)
}

func requireEntryOutputs(c *checker, callee *call) *refusal {
	return c.checkEntries(callee, callee.args[0])
}

func (c *checker) checkEntries(callee *call, v value) *refusal {
	if v.kinds == 0 {
		return nil
	}
	key, ok := v.members["key"]
	if _, valued := v.members["value"]; v.kinds != record || !ok || !valued {
		return c.refuse("%s makes an object of objects with key and value, and this is %s", callee.name, v.kinds)
	}
	if !key.kinds.isWithin(texts) || key.longest > maxName {
		return c.refuse("the key of a member is a short text, and this is %s", key.kinds)
	}
	return nil
}

func requireAddable(c *checker, callee *call) *refusal {
	switch kinds := callee.contents.kinds &^ null; {
	case kinds == number:
		if sumOf(callee).bits > maxBits {
			return c.refuse("the result of add may grow too large")
		}
	case !kinds.isWithin(texts) && kinds != array:
		return c.refuse("add is for numbers, texts or arrays, and these are %s", kinds)
	}
	return nil
}

func requireSearchable(c *checker, callee *call) *refusal {
	if callee.in.kinds&array == 0 {
		return requireText(c, callee)
	}
	if fault := c.checkComparable(callee.contents, callee.args[0]); fault != nil {
		return fault
	}
	parts, _ := callee.args[0].contentValues()
	return c.checkComparable(callee.contents, parts)
}

func requireJoinable(c *checker, callee *call) *refusal {
	if !callee.contents.kinds.isWithin(plain) {
		return c.refuse("join is for texts, numbers, booleans and null, and these are %s", callee.contents.kinds)
	}
	return requireText(c, callee)
}
