package form

import (
	"encoding/json"
	"errors"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// maxRules is the maximum number of compiled conditions of an editor. Further conditions are false.
const maxRules = 500

var errRuleWork = errors.New("the conditions take too much work")

// maxRuleWork limits the validations of conditions of one editor, in calls of the function passed to jsondoc.Watch.
// It is less than one long validation. Conditions beyond it are false.
const maxRuleWork = 256

// condition is a compiled schema, nil if it is invalid.
type condition struct{ schema *jsondoc.Schema }

// isSatisfied reports whether a value is valid. It returns false for an unusable schema.
func (b *editorBuilder) isSatisfied(schema json.RawMessage, value any) bool {
	rule, ok := b.rules[string(schema)]
	if !ok {
		rule = &condition{}
		if len(b.rules) < maxRules {
			rule.schema, _ = jsondoc.CompileCached(schema)
		}
		b.rules[string(schema)] = rule
	}
	if rule.schema == nil {
		return false
	}
	if of, isObject := value.(*object); isObject && of == nil {
		value = nil
	}
	result, err := rule.schema.Validate(jsonText(value), jsondoc.Watch(b.checkBudget))
	return err == nil && result.Valid
}

// checkBudget stops validations of conditions when the request ends or the work exceeds maxRuleWork.
func (b *editorBuilder) checkBudget() error {
	if b.ruleWork++; b.ruleWork > maxRuleWork {
		return errRuleWork
	}
	return b.ctx.Err()
}

// applyRule changes the state of a site by a rule, which may be nil. Scopes of conditions start at value.
func (b *editorBuilder) applyRule(rule, value *object, a *site) {
	if rule == nil {
		return
	}
	of, ok := rule.Members["condition"].(*object)
	if !ok {
		return
	}
	met := b.isMet(of, value, 0)
	switch rule.Text("effect") {
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

// isMet evaluates a condition: a schema or value for a scope, or a combination of conditions.
func (b *editorBuilder) isMet(of, value *object, depth int) bool {
	if depth > b.limits.Depth {
		return false
	}
	list, _ := of.Members["conditions"].([]any)
	switch kind := of.Text("type"); kind {
	case "AND", "OR":
		for _, entry := range list {
			inner, ok := entry.(*object)
			if ok && b.isMet(inner, value, depth+1) == (kind == "OR") {
				return kind == "OR"
			}
		}
		return kind == "AND"
	case "NOT":
		for _, entry := range list {
			inner, ok := entry.(*object)
			return ok && !b.isMet(inner, value, depth+1)
		}
		return false
	}
	path, ok := jsondoc.ScopePath(of.Text("scope"))
	if !ok {
		return false
	}
	found, present := lookUpMember(value, path)
	if !present && of.Members["failWhenUndefined"] == true {
		return false
	}
	if expected, ok := of.Get("expectedValue"); ok {
		return present && jsondoc.Equal(expected, found)
	}
	schema, ok := of.Get("schema")
	return ok && b.isSatisfied(jsonText(schema), found)
}
