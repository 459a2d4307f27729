package scim

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	filter "github.com/scim2/filter-parser/v2"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// maxFilterTerms bounds the comparisons of a filter, maxFilterDepth its nesting.
	maxFilterTerms, maxFilterDepth = 20, 5
)

// parseFilter returns the condition of a list's filter (RFC 7644, section 3.4.2.2), nil for no filter.
func parseFilter(kind resource.Kind, text string) (*domain.DirectoryFilter, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no filter is none
	}
	if len(text) > maxFilter || tooDeep(text) {
		return nil, refuseAs(errInvalidFilter, fmt.Sprintf("the filter must have at most %d bytes and parentheses %d deep", maxFilter, maxFilterDepth))
	}
	expression, err := filter.ParseFilter([]byte(text))
	if err != nil {
		return nil, refuseAs(errInvalidFilter, "the filter is not one of RFC 7644, section 3.4.2.2")
	}
	t := &translation{kind: kind}
	f, err := t.translateExpression(expression, "")
	if err != nil {
		return nil, err
	}
	return &f, nil
}

// tooDeep reports whether parentheses and brackets are nested deeper than allowed.
func tooDeep(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			if depth++; depth > maxFilterDepth {
				return true
			}
		case c == ')' || c == ']':
			depth--
		}
	}
	return false
}

// translation translates the filter of a list of resources of a kind.
type translation struct {
	kind  resource.Kind
	terms int
}

// translateExpression returns the condition of an expression. within is the attribute with the values that it is about.
func (t *translation) translateExpression(expression filter.Expression, within string) (domain.DirectoryFilter, error) {
	switch e := expression.(type) {
	case *filter.LogicalExpression:
		left, err := t.translateExpression(e.Left, within)
		if err != nil {
			return left, err
		}
		right, err := t.translateExpression(e.Right, within)
		return domain.DirectoryFilter{
			Operator: domain.DirectoryOperator(strings.ToLower(string(e.Operator))), Operands: []domain.DirectoryFilter{left, right},
		}, err
	case *filter.NotExpression:
		inner, err := t.translateExpression(e.Expression, within)
		return domain.DirectoryFilter{Operator: domain.DirectoryNot, Operands: []domain.DirectoryFilter{inner}}, err
	case *filter.ValuePath:
		if err := t.checkSchema(e.AttributePath); err != nil {
			return domain.DirectoryFilter{}, err
		}
		return t.translateExpression(e.ValueFilter, e.AttributePath.AttributeName+".")
	case *filter.AttributeExpression:
		if t.terms++; t.terms > maxFilterTerms {
			return domain.DirectoryFilter{}, refuseAs(errInvalidFilter, fmt.Sprintf("the filter must have at most %d comparisons", maxFilterTerms))
		}
		if err := t.checkSchema(e.AttributePath); err != nil {
			return domain.DirectoryFilter{}, err
		}
		name := within + e.AttributePath.AttributeName
		if sub := e.AttributePath.SubAttributeName(); sub != "" {
			name += "." + sub
		}
		return t.compareAttribute(name, domain.DirectoryOperator(strings.ToLower(string(e.Operator))), e.CompareValue)
	}
	return domain.DirectoryFilter{}, refuseAs(errInvalidFilter, "the filter has an unknown expression")
}

func (t *translation) checkSchema(path filter.AttributePath) error {
	uri := path.URI()
	if uri == "" || strings.EqualFold(uri, userSchema) && t.kind == resource.KindUser || strings.EqualFold(uri, groupSchema) && t.kind == resource.KindGroup {
		return nil
	}
	return refuseAs(errInvalidFilter, "the schema "+uri+" is not one of the resource")
}

// constantFilter and never are conditions of all rows and of none.
func constantFilter(holds bool) domain.DirectoryFilter {
	present := domain.DirectoryFilter{Operator: domain.DirectoryPresent, Attribute: domain.DirectoryID}
	if holds {
		return present
	}
	return domain.DirectoryFilter{Operator: domain.DirectoryNot, Operands: []domain.DirectoryFilter{present}}
}

// compareAttribute returns the condition of a comparison.
func (t *translation) compareAttribute(name string, operator domain.DirectoryOperator, value any) (domain.DirectoryFilter, error) {
	attribute, ok := t.attributeOf(name)
	f := domain.DirectoryFilter{Operator: operator, Attribute: attribute, Value: value}
	if !ok {
		// All addresses are of one type and the primary one.
		switch strings.ToLower(name) {
		case "emails.type", "emails.primary", "members.type":
			constant := map[string]any{"emails.type": "work", "emails.primary": true, "members.type": "User"}[strings.ToLower(name)]
			text, isText := value.(string)
			equal := value == constant || isText && strings.EqualFold(text, fmt.Sprint(constant))
			return constantFilter(operator == domain.DirectoryPresent || operator == domain.DirectoryEqual && equal || operator == domain.DirectoryNotEqual && !equal), nil
		}
		return f, refuseAs(errInvalidFilter, "lists cannot be filtered by "+name)
	}
	if operator == domain.DirectoryPresent {
		return f, nil
	}
	wrong := refuseAs(errInvalidFilter, fmt.Sprintf("%s cannot be compared with %v by %s", name, value, operator))
	equality := operator == domain.DirectoryEqual || operator == domain.DirectoryNotEqual
	switch text, isText := value.(string); attribute { //nolint:exhaustive // the others are texts
	case domain.DirectoryActive:
		flag, isFlag := value.(bool)
		if isText && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")) {
			flag, isFlag = strings.EqualFold(text, "true"), true
		}
		if f.Value = flag; !isFlag || !equality {
			return f, wrong
		}
	case domain.DirectoryCreated, domain.DirectoryLastModified:
		at, err := time.Parse(time.RFC3339, text)
		if f.Value = at; err != nil || operator == domain.DirectoryContains || operator == domain.DirectoryStartsWith || operator == domain.DirectoryEndsWith {
			return f, wrong
		}
	case domain.DirectoryMember:
		if !isText || !equality {
			return f, wrong
		}
	default:
		if !isText || strings.ContainsRune(text, 0) {
			return f, wrong
		}
	}
	return f, nil
}

// attributeOf returns the attribute with a name, without regard to case.
func (t *translation) attributeOf(name string) (domain.DirectoryAttribute, bool) {
	offered := []domain.DirectoryAttribute{
		domain.DirectoryID, domain.DirectoryExternalID, domain.DirectoryDisplayName, domain.DirectoryCreated, domain.DirectoryLastModified,
	}
	if t.kind == resource.KindUser {
		offered = append(offered, domain.DirectoryUserName, domain.DirectoryFormatted, domain.DirectoryGivenName, domain.DirectoryFamilyName,
			domain.DirectoryEmail, domain.DirectoryActive)
		if strings.EqualFold(name, "emails") {
			return domain.DirectoryEmail, true
		}
	} else {
		offered = append(offered, domain.DirectoryMember)
		if strings.EqualFold(name, "members") {
			return domain.DirectoryMember, true
		}
	}
	for _, attribute := range offered {
		if strings.EqualFold(string(attribute), name) {
			return attribute, true
		}
	}
	return "", false
}

// matchValue reports whether a complex value matches the filter in a path of a PATCH.
func matchValue(expression filter.Expression, a *attribute, element object, depth int) (bool, error) {
	if depth > maxFilterDepth {
		return false, refuseAs(errInvalidPath, "the filter of the path is nested too deeply")
	}
	switch e := expression.(type) {
	case *filter.LogicalExpression:
		left, err := matchValue(e.Left, a, element, depth+1)
		if err != nil {
			return false, err
		}
		right, err := matchValue(e.Right, a, element, depth+1)
		if e.Operator == filter.AND {
			return left && right, err
		}
		return left || right, err
	case *filter.NotExpression:
		inner, err := matchValue(e.Expression, a, element, depth+1)
		return !inner, err
	case *filter.AttributeExpression:
		sub := findAttribute(a.Sub, e.AttributePath.AttributeName)
		if sub == nil {
			return false, refuseAs(errInvalidPath, "there is no attribute "+a.Name+"."+e.AttributePath.AttributeName)
		}
		return compareValue(element[sub.Name], e), nil
	}
	return false, refuseAs(errInvalidPath, "the filter of the path has an unknown expression")
}

// compareValue compares a simple value with the value of a filter, texts without regard to case.
func compareValue(value any, e *filter.AttributeExpression) bool {
	operator := filter.CompareOperator(strings.ToLower(string(e.Operator)))
	left, isText := value.(string)
	right, _ := e.CompareValue.(string)
	left, right = strings.ToLower(left), strings.ToLower(right)
	equal := reflect.DeepEqual(value, e.CompareValue) || isText && left == right
	switch operator {
	case filter.PR:
		return value != nil
	case filter.EQ:
		return equal
	case filter.NE:
		return !equal
	case filter.CO:
		return isText && strings.Contains(left, right)
	case filter.SW:
		return isText && strings.HasPrefix(left, right)
	case filter.EW:
		return isText && strings.HasSuffix(left, right)
	case filter.GT:
		return isText && left > right
	case filter.GE:
		return isText && left >= right
	case filter.LT:
		return isText && left < right
	case filter.LE:
		return isText && left <= right
	}
	return false
}
