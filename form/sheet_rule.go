package form

import (
	"encoding/json"
	"errors"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// maxRules bounds how many conditions are compiled for one sheet; further rules do not
// hold.
const maxRules = 500

var errRuleWork = errors.New("the conditions take too much work")

// maxRuleWork limits the validations for the conditions of one sheet, in calls of the function that jsondoc.Watch
// passes. It is less than one long validation; the conditions that are left do not hold.
const maxRuleWork = 256

// condition is a compiled schema, nil for one that is not valid.
type condition struct{ schema *jsondoc.Schema }

// holds reports whether a value fits a schema. A schema that cannot be used fits
// nothing.
func (b *sheetBuilder) holds(schema json.RawMessage, value any) bool {
	known, ok := b.rules[string(schema)]
	if !ok {
		known = &condition{}
		if len(b.rules) < maxRules {
			known.schema, _ = jsondoc.Compile(schema)
		}
		b.rules[string(schema)] = known
	}
	if known.schema == nil {
		return false
	}
	if of, isObject := value.(*object); isObject && of == nil {
		value = nil
	}
	result, err := known.schema.Validate(jsonText(value), jsondoc.Watch(b.watch))
	return err == nil && result.Valid
}

// watch ends the validations for conditions with the request, and when they have taken too much work.
func (b *sheetBuilder) watch() error {
	if b.ruleWork++; b.ruleWork > maxRuleWork {
		return errRuleWork
	}
	return b.ctx.Err()
}

// apply changes the state of what is at a place by a rule, which may be nil. What the
// conditions look at starts from value.
func (b *sheetBuilder) apply(rule, value *object, a *at) {
	if rule == nil {
		return
	}
	of, ok := rule.members["condition"].(*object)
	if !ok {
		return
	}
	met := b.met(of, value, 0)
	switch rule.text("effect") {
	case "SHOW":
		a.hidden = a.hidden || !met
	case "HIDE":
		a.hidden = a.hidden || met
	case "ENABLE":
		a.disabled = a.disabled || !met
	case "DISABLE":
		a.disabled = a.disabled || met
	}
}

// met evaluates a condition: a schema or a value for what is at a scope, or several
// conditions together.
func (b *sheetBuilder) met(of, value *object, depth int) bool {
	if depth > b.limits.Depth {
		return false
	}
	list, _ := of.members["conditions"].([]any)
	switch kind := of.text("type"); kind {
	case "AND", "OR":
		for _, entry := range list {
			inner, ok := entry.(*object)
			if ok && b.met(inner, value, depth+1) == (kind == "OR") {
				return kind == "OR"
			}
		}
		return kind == "AND"
	case "NOT":
		for _, entry := range list {
			inner, ok := entry.(*object)
			return ok && !b.met(inner, value, depth+1)
		}
		return false
	}
	path, ok := scopePath(of.text("scope"))
	if !ok {
		return false
	}
	found, present := lookUpMember(value, path)
	if !present && of.members["failWhenUndefined"] == true {
		return false
	}
	if expected, ok := of.get("expectedValue"); ok {
		return present && same(expected, found)
	}
	schema, ok := of.get("schema")
	return ok && b.holds(jsonText(schema), found)
}
