package availability

// The checks of the types of arguments, which find mistakes before an evaluation fails.

func compareInput(c *checker, the *call) *refusal { return c.comparable(the.in, the.args[0]) }

func compareStreams(c *checker, the *call) *refusal { return c.comparable(the.args[0], the.args[1]) }

func requireBounds(c *checker, the *call) *refusal {
	for _, bound := range the.args {
		if bound.kinds != number || bound.constant == nil {
			return c.refuse("range is for numbers that are written out, such as range(5)")
		}
	}
	return nil
}

func requireNumber(c *checker, the *call) *refusal { return c.argument(the, number) }

func requireText(c *checker, the *call) *refusal { return c.argument(the, texts) }

// argument refuses a first argument that is never of the given types, or of others than these and null.
func (c *checker) argument(the *call, kinds kind) *refusal {
	if given := the.args[0].kinds; !given.mostly(kinds) {
		return c.refuse("the argument of %s is %s, and this is %s", the.name, kinds, given)
	}
	return nil
}

func requireName(c *checker, the *call) *refusal { return c.checkName(the, the.in, the.args[0]) }

func requireNameIn(c *checker, the *call) *refusal { return c.checkName(the, the.args[0], the.in) }

// checkName checks that a text is looked up in an object, or a number in an array.
func (c *checker) checkName(the *call, in, name value) *refusal {
	object := in.kinds.mostly(objects) && name.kinds.mostly(texts)
	list := in.kinds.mostly(array) && name.kinds.mostly(number)
	switch {
	case !object && !list:
		return c.refuse("%s is for the name of a member of an object, or for the number of an element of an array", the.name)
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
func requireSameType(c *checker, the *call) *refusal {
	if the.in.kinds.classes()&the.args[0].kinds.classes() == 0 {
		return c.refuse("%s is for two values of one type, and these are %s and %s", the.name, the.in.kinds, the.args[0].kinds)
	}
	return nil
}

func requireEntries(c *checker, the *call) *refusal { return c.entries(the, the.contents) }

func requireEntryOutputs(c *checker, the *call) *refusal { return c.entries(the, the.args[0]) }

func (c *checker) entries(the *call, v value) *refusal {
	if v.kinds == 0 {
		return nil
	}
	key, ok := v.members["key"]
	if _, valued := v.members["value"]; v.kinds != record || !ok || !valued {
		return c.refuse("%s makes an object of objects with key and value, and this is %s", the.name, v.kinds)
	}
	if !key.kinds.within(texts) || key.longest > maxName {
		return c.refuse("the key of a member is a short text, and this is %s", key.kinds)
	}
	return nil
}

func requireAddable(c *checker, the *call) *refusal {
	switch kinds := the.contents.kinds &^ null; {
	case kinds == number:
		if sum(the).bits > maxBits {
			return c.refuse("the result of add may grow too large")
		}
	case !kinds.within(texts) && kinds != array:
		return c.refuse("add is for numbers, texts or arrays, and these are %s", kinds)
	}
	return nil
}

func requireSearchable(c *checker, the *call) *refusal {
	if the.in.kinds&array == 0 {
		return requireText(c, the)
	}
	if refused := c.comparable(the.contents, the.args[0]); refused != nil {
		return refused
	}
	parts, _ := the.args[0].contents()
	return c.comparable(the.contents, parts)
}

func requireJoinable(c *checker, the *call) *refusal {
	if !the.contents.kinds.within(plain) {
		return c.refuse("join is for texts, numbers, booleans and null, and these are %s", the.contents.kinds)
	}
	return requireText(c, the)
}
