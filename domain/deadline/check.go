package deadline

import (
	"fmt"
	"slices"

	"github.com/itchyny/gojq"
)

// maxParts is the maximum number of parts of an expression, maxInsertions of the values that its texts insert.
const (
	maxParts      = 200
	maxInsertions = 4
)

// checker accepts expressions with one result and a cost that the length of the values bounds: paths, literals, texts that insert
// values, comparisons, and, or, // and if.
type checker struct{ parts, insertions int }

func (c *checker) checkQuery(q *gojq.Query) error {
	if c.parts++; c.parts > maxParts {
		return fmt.Errorf("has more than %d parts", maxParts)
	}
	switch {
	case q.Meta != nil || len(q.Imports)+len(q.FuncDefs)+len(q.Patterns) > 0:
		return fmt.Errorf("defines functions or variables, which rules do not have")
	case q.Term != nil:
		return c.checkTerm(q.Term)
	case q.Left == nil || q.Right == nil:
		return fmt.Errorf("is empty")
	}
	switch q.Op { //nolint:exhaustive // the others are refused
	case gojq.OpAnd, gojq.OpOr, gojq.OpAlt, gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
	default:
		return fmt.Errorf("has the operator %s; rules have and, or, //, ==, !=, <, <=, > and >=", q.Op)
	}
	if err := c.checkQuery(q.Left); err != nil {
		return err
	}
	return c.checkQuery(q.Right)
}

func (c *checker) checkTerm(t *gojq.Term) error {
	switch t.Type { //nolint:exhaustive // all others are refused
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
		return checkNoSuffix(t)
	case gojq.TermTypeString:
		if err := c.checkString(t.Str); err != nil {
			return err
		}
		return checkNoSuffix(t)
	case gojq.TermTypeQuery:
		if err := c.checkQuery(t.Query); err != nil {
			return err
		}
		return checkNoSuffix(t)
	case gojq.TermTypeIf:
		return c.checkIf(t)
	case gojq.TermTypeIndex:
		return checkPath(t)
	}
	return fmt.Errorf("has %s; rules have paths, literals, comparisons, and, or, // and if", t)
}

func checkNoSuffix(t *gojq.Term) error {
	if len(t.SuffixList) > 0 {
		return fmt.Errorf("has a path after %s", t)
	}
	return nil
}

func (c *checker) checkIf(t *gojq.Term) error {
	parts := []*gojq.Query{t.If.Cond, t.If.Then, t.If.Else}
	for _, alternative := range t.If.Elif {
		parts = append(parts, alternative.Cond, alternative.Then)
	}
	for _, part := range parts {
		if part == nil {
			return fmt.Errorf("has an if without else")
		}
		if err := c.checkQuery(part); err != nil {
			return err
		}
	}
	return checkNoSuffix(t)
}

func (c *checker) checkString(s *gojq.String) error {
	for _, part := range s.Queries {
		if part.Term != nil && part.Term.Type == gojq.TermTypeString && part.Term.Str.Queries == nil {
			continue
		}
		if c.insertions++; c.insertions > maxInsertions {
			return fmt.Errorf("inserts more than %d values into texts", maxInsertions)
		}
		if err := c.checkQuery(part); err != nil {
			return err
		}
	}
	return nil
}

// checkPath checks a path such as .process.metadata.AMOUNT.
func checkPath(t *gojq.Term) error {
	path := []*gojq.Index{t.Index}
	for _, suffix := range t.SuffixList {
		if suffix.Iter || suffix.Index == nil && !suffix.Optional {
			return fmt.Errorf("has the path %s, which is not one value", t)
		}
		if suffix.Index != nil {
			path = append(path, suffix.Index)
		}
	}
	names := make([]string, len(path))
	for i, index := range path {
		name, ok := nameOf(index)
		if !ok {
			return fmt.Errorf("has the path %s; paths have names only", t)
		}
		names[i] = name
	}
	roots := map[string][]string{"process": {"metadata", "entity", "createdAt", "dueAt"}, "task": {"data", "contextData"}}
	if len(names) < 2 || !slices.Contains(roots[names[0]], names[1]) {
		return fmt.Errorf("has the path %s; paths begin with .process.metadata, .process.entity, .process.createdAt, .process.dueAt, "+
			".task.data or .task.contextData", t)
	}
	return nil
}

// nameOf returns the name of a step of a path.
func nameOf(index *gojq.Index) (string, bool) {
	switch {
	case index.IsSlice:
		return "", false
	case index.Name != "":
		return index.Name, true
	case index.Str != nil:
		return index.Str.Str, index.Str.Queries == nil
	case index.Start != nil && index.Start.Term != nil && index.Start.Term.Type == gojq.TermTypeString:
		return index.Start.Term.Str.Str, index.Start.Term.Str.Queries == nil && len(index.Start.Term.SuffixList) == 0
	}
	return "", false
}
