package jsondoc

// A tree is a document that values are looked up in, and the work that a patch has taken.
type tree struct {
	root *node
	work int
}

// spend counts work and returns an error beyond the limit.
func (t *tree) spend(work int) error {
	if t.work += work; t.work > maxPatchWork {
		return errPatchWork
	}
	return nil
}

// get returns the value at a path.
func (t *tree) get(path []string) (*node, error) {
	n := t.root
	for _, key := range path {
		n.expand()
		if err := t.spend(len(n.members)); err != nil {
			return nil, err
		}
		if n = n.at(key); n == nil {
			return nil, errMissing
		}
	}
	return n, nil
}

// test checks that the value at a path equals another one.
func (t *tree) test(path []string, want *node) error {
	value, err := t.get(path)
	if err != nil {
		return err
	}
	same, err := t.equal(value, want)
	if err != nil {
		return err
	}
	if !same {
		return errTest
	}
	return nil
}
