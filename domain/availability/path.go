package availability

import (
	"math"
	"strings"

	"github.com/itchyny/gojq"
)

// followIndex follows a path by one step: a name, an index or a slice.
func (c *checker) followIndex(i *gojq.Index, v, in value) (value, *refusal) {
	var out value
	var fault *refusal
	switch {
	case i.IsSlice:
		out, fault = c.sliceValue(i, v, in)
	case i.Str != nil && i.Str.Queries == nil:
		if _, fault = c.literalValue(i.Str); fault == nil {
			out, fault = c.memberValue(i.Str.Str, v)
		}
	case i.Str != nil:
		out, fault = c.computedMember(&gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeString, Str: i.Str}}, v, in)
	case i.Start != nil:
		c.advanceTo("[")
		out, fault = c.computedMember(i.Start, v, in)
	default:
		c.advanceTo("." + i.Name)
		out, fault = c.memberValue(i.Name, v)
	}
	if fault != nil {
		return value{}, fault
	}
	out.exact, out.some, out.outputs = v.exact, v.some, v.outputs
	return out, c.spend(v.outputs)
}

// checkBound checks an index or an end of a slice, which is evaluated for the input of the whole path.
func (c *checker) checkBound(q *gojq.Query, in value, times int) (value, *refusal) {
	offset := c.offset
	at, fault := c.checkNested(q, in.eachOutput(), times)
	if fault != nil {
		return value{}, fault
	}
	if c.offset = offset; !at.exact {
		return value{}, c.refuse("an index must be exactly one value")
	}
	return at, nil
}

// computedMember returns the element or member that another part names.
func (c *checker) computedMember(q *gojq.Query, v, in value) (value, *refusal) {
	at, fault := c.checkBound(q, in, max(v.outputs, 1))
	if fault != nil {
		return value{}, fault
	}
	contents, _ := v.contentValues()
	switch {
	case at.kinds.isMostly(number) && v.kinds.isMostly(array):
		return contents.orNull(), nil
	case !at.kinds.isMostly(texts) || !v.kinds.isMostly(objects):
		return value{}, c.refuse("an index is a text for an object or a number for an array, and these are %s and %s", at.kinds, v.kinds)
	case at.literals == nil:
		c.readWhole(v)
		return contents.orNull(), nil
	}
	var out value
	for i, name := range at.literals {
		member, fault := c.memberValue(name.Str, v)
		if fault != nil {
			return value{}, fault
		}
		if out = out.unionWith(member); i == 0 {
			out = member
		}
	}
	return out, nil
}

// sliceValue returns a part of a text or of an array.
func (c *checker) sliceValue(i *gojq.Index, v, in value) (value, *refusal) {
	c.advanceTo("[")
	if !v.kinds.isMostly(array | texts) {
		return value{}, c.refuse("only texts and arrays have slices, and this is %s", v.kinds)
	}
	var ends [2]float64
	for n, q := range []*gojq.Query{i.Start, i.End} {
		if n == 1 {
			ends[n] = math.Inf(1)
		}
		if q == nil {
			continue
		}
		at, fault := c.checkBound(q, in, max(v.outputs, 1))
		if fault != nil {
			return value{}, fault
		}
		if !at.kinds.isWithin(number|null) || at.kinds == 0 {
			return value{}, c.refuse("a slice is between two numbers, and this is %s", at.kinds)
		}
		if at.constant != nil {
			ends[n] = *at.constant
		} else {
			ends[n] = -1
		}
	}
	out := v
	out.literals = nil
	if out.kinds&texts != 0 {
		out.kinds = out.kinds&^texts | text
	}
	if ends[0] >= 0 && ends[1] >= 0 {
		size := math.Ceil(max(ends[1]-ends[0], 0)) + 1
		out.length = int(min(size, float64(out.length)))
		out.longest = int(min(size*maxRune, float64(out.longest)))
	}
	return out, c.spend(multiplyCosts(v.outputs, 1+readCost(v)))
}

// maxRune is the maximum number of bytes of a character.
const maxRune = 4

// memberValue returns the value of a name in a value.
func (c *checker) memberValue(name string, v value) (value, *refusal) {
	if v.kinds&made == 0 {
		return c.fieldValue(name, v.kinds)
	}
	if !v.kinds.isWithin(made | null) {
		return value{}, c.refuse("%s has no field %q", v.kinds, name)
	}
	var out value
	if v.kinds&record != 0 {
		member, ok := v.members[name]
		if !ok {
			return value{}, c.refuse("%s has no field %q", v.kinds, name)
		}
		out = member
	}
	if v.kinds&dict != 0 && v.elements != nil {
		out = v.elements.unionWith(out)
	}
	if v.kinds&(dict|null) != 0 {
		out = out.orNull()
	}
	return out.eachOutput(), nil
}

// checkObject checks an object of single values. Computed names make it one of any names.
func (c *checker) checkObject(o *gojq.Object, in value) (value, *refusal) {
	c.advanceTo("{")
	start := c.offset
	out := singleOf(record)
	out.members = make(map[string]value, len(o.KeyVals))
	anyName := false
	var all value
	for i, pair := range o.KeyVals {
		name, member, fault := c.checkPair(pair, in)
		if fault != nil {
			return value{}, fault
		}
		if name == nil {
			anyName = true
		} else {
			out.members[*name] = member
		}
		if all = all.unionWith(member); i == 0 {
			all = member
		}
	}
	c.offset = start
	if anyName {
		out = dictOf(all, len(o.KeyVals))
	}
	return c.limitShape(out, 1+2*len(o.KeyVals))
}

// checkPair returns the name and the value of a member of an object, the name nil if it is computed.
func (c *checker) checkPair(checkPair *gojq.ObjectKeyVal, in value) (*string, value, *refusal) {
	name := &checkPair.Key
	switch {
	case checkPair.KeyQuery != nil:
		c.advanceTo("(")
		key, fault := c.checkBound(checkPair.KeyQuery, in, 1)
		if fault != nil {
			return nil, value{}, fault
		}
		if !key.kinds.isMostly(texts) || key.longest > maxName {
			return nil, value{}, c.refuse("the name of a member is a short text, and this is %s", key.kinds)
		}
		name = nil
	case checkPair.KeyString != nil && checkPair.KeyString.Queries != nil:
		return nil, value{}, c.refuse("the name of a member has no expression in it: write (...): value")
	case checkPair.KeyString != nil:
		c.advanceTo(`"`)
		name = &checkPair.KeyString.Str
	default:
		c.advanceTo(checkPair.Key)
	}
	offset := c.offset
	var member value
	var fault *refusal
	switch {
	case checkPair.Val != nil && (name == nil || !strings.HasPrefix(*name, "$")):
		member, fault = c.checkQuery(checkPair.Val, in)
	case checkPair.Val != nil || name == nil:
		fault = c.refuse("a member of an object is written as name: value")
	case strings.HasPrefix(*name, "$"):
		// gojq looks the variable up under this name, and writes the member without the sign.
		member, fault = c.variableValue(*name)
		bare := strings.TrimPrefix(*name, "$")
		name = &bare
	default:
		member, fault = c.memberValue(*name, in)
	}
	if fault != nil {
		return nil, value{}, fault
	}
	c.offset = offset
	if !member.exact {
		return nil, value{}, c.refuse("a member of an object must be exactly one value")
	}
	return name, member, nil
}

// fieldValue returns the value of a name in values of the model.
func (c *checker) fieldValue(name string, from kind) (value, *refusal) {
	if !from.isMostly(objects) {
		return value{}, c.refuse("%s has no field %q", from, name)
	}
	var out kind
	if from&null != 0 {
		out = null
	}
	if from&tasks != 0 {
		c.needs.codes[name] = struct{}{}
		out |= task | null
	}
	if from&root != 0 {
		switch name {
		case "process":
			out |= process
		case "tasks":
			out |= tasks
		default:
			return value{}, c.refuse("the model has no field %q: it has process and tasks", name)
		}
	}
	if from&(process|task) == 0 {
		return singleOf(out), nil
	}
	switch name {
	case "state":
		if from&process != 0 {
			out |= processState
		}
		if from&task != 0 {
			out |= taskState
		}
	case "createdAt", "lastModifiedAt":
		out |= timestamp
	default:
		return value{}, c.refuse("%s has no field %q: it has state, createdAt and lastModifiedAt", from&(process|task), name)
	}
	return singleOf(out), nil
}
