package jsondoc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

// An advisor decides which causes of a failed anyOf or oneOf concern a value. It returns a violation in their place, or the
// index of a branch with the causes.
type advisor func(at string, schema *jsonschema.Schema, keyword string) (branch int, instead *domain.ValueError)

// Explain returns all violations of the document, as Validate does, and the ones that help a person: of alternatives only
// the violations of the selected branch, or one for all of them.
func (o *Outline) Explain() (all, best []domain.ValueError) {
	if o.schema == nil || !o.root.present || o.exhausted {
		return nil, nil
	}
	invalid, ok := o.validateNode(o.schema.compiled, o.root.value)
	if !ok || invalid == nil {
		return nil, nil
	}
	r := o.schema.newRun()
	r.meter, r.options = o.meter, o.validation
	defer func() {
		o.meter, r.options, r.meter.watch, r.advise = r.meter, validationOptions{}, nil, nil
		if recover() != nil {
			o.exhausted, all, best = true, nil, nil
		}
		o.schema.releaseRun(r)
	}()
	all = r.listViolations(invalid, o.root.value)
	r.advise = o.adviseBranch
	best = r.listViolations(invalid, o.root.value)
	return all, best
}

// adviseBranch implements advisor.
func (o *Outline) adviseBranch(at string, schema *jsonschema.Schema, keyword string) (int, *domain.ValueError) {
	branches := schema.AnyOf
	if keyword == keywordOneOf {
		branches = schema.OneOf
	}
	instead := &domain.ValueError{PropertyPath: at, Type: keyword}
	p := o.At(at)
	if p == nil || p.IsLimited() {
		return 0, instead
	}
	key := pointerIn(schema.Location) + "/" + keyword
	for _, choice := range p.choices {
		switch {
		case choice.Key.Schema != key:
		case choice.Selected >= 0:
			return slices.Index(branches, choice.Branches[choice.Selected].node), nil
		default:
			instead.PropertyPath += "/" + jsontext.EscapeToken(choice.By)
			if instead.Type = "required"; p.Member(choice.By).present {
				instead.Type = keywordEnum
			}
			return 0, instead
		}
	}
	var others []int
	for i, branch := range branches {
		if o.typesOf(branch) != TypeNull {
			others = append(others, i)
		}
	}
	if len(others) == 1 {
		return others[0], nil
	}
	if p.finite && !p.suggested {
		instead.Type = keywordEnum
	}
	return 0, instead
}

// followAdvice collects the causes that an advisor selects. It returns false for other nodes of the tree.
func (r *run) followAdvice(e *jsonschema.ValidationError, document any, found *[]domain.ValueError) bool {
	keyword, rest := splitKeyword(e.KeywordLocation)
	if r.advise == nil || len(rest) > 0 || len(e.Causes) == 0 || keyword != keywordAnyOf && keyword != keywordOneOf {
		return false
	}
	schema, ok := r.schema.nodes[strings.TrimSuffix(e.AbsoluteKeywordLocation, "/"+keyword)]
	if !ok {
		return false
	}
	branch, instead := r.advise(unescapeLocation(e.InstanceLocation), schema, keyword)
	if instead != nil {
		*found = append(*found, *instead)
		return true
	}
	prefix := e.KeywordLocation + "/" + strconv.Itoa(branch)
	followed := false
	for _, cause := range e.Causes {
		if cause.KeywordLocation == prefix || strings.HasPrefix(cause.KeywordLocation, prefix+"/") {
			r.collectLeaves(cause, document, found)
			followed = true
		}
	}
	if !followed {
		*found = append(*found, domain.ValueError{PropertyPath: unescapeLocation(e.InstanceLocation), Type: keyword})
	}
	return true
}
