package resource

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// describeKeyword describes the requirement of a keyword of the manifest schemas in words. Other keywords get the
// library's message.
func describeKeyword(s *jsonschema.Schema, keyword, library string) string {
	switch keyword {
	case "type":
		return "must be " + typeNames(s.Types)
	case "const":
		return fmt.Sprintf("must be %v", s.Constant[0])
	case "enum":
		return "must be " + oneOf(s.Enum)
	case "not":
		return "must not be " + joinChoices(toTexts(s.Not.Enum))
	case "pattern":
		if w, ok := s.Extensions[patternMessage].(wordings); ok {
			return w.text
		}
		return fmt.Sprintf("must match %s", s.Pattern)
	case "format":
		return "must be " + formatName(s.Format)
	case "minLength":
		return "must not be empty"
	case "maxLength":
		return fmt.Sprintf("must have at most %d characters", s.MaxLength)
	case "minimum":
		return "must be at least " + s.Minimum.RatString()
	case "maximum":
		return "must be at most " + s.Maximum.RatString()
	case "minItems":
		return fmt.Sprintf("must have at least %d element%s", s.MinItems, pluralSuffix(s.MinItems))
	case "maxItems":
		return fmt.Sprintf("must have at most %d element%s", s.MaxItems, pluralSuffix(s.MaxItems))
	case "uniqueItems":
		return "must not have the same element twice"
	case "minProperties", "maxProperties":
		if s.MinProperties == 1 && s.MaxProperties == 1 {
			return "must have exactly one of " + joinChoices(slices.Sorted(maps.Keys(s.Properties)))
		}
		return fmt.Sprintf("must have at most %d members", s.MaxProperties)
	}
	return library
}

// unknownMember reports that an object has no such member, with the most similar name.
func unknownMember(s *jsonschema.Schema, name string) string {
	message := "is not a member of " + s.Title
	members := slices.Sorted(maps.Keys(s.Properties))
	return message + DidYouMean(name, members, ", which has "+joinWords(members))
}

// DidYouMean returns the end of a message about a name that does not exist: a question with the known name that is most
// like it, or otherwise where none is.
func DidYouMean(name string, names []string, otherwise string) string {
	if similar := findSimilar(name, names); similar != "" {
		return "; did you mean " + similar + "?"
	}
	return otherwise
}

// findSimilar returns the known name that is most like a name, whatever the case: at most
// two letters are added, removed or replaced. It is empty if there is none.
func findSimilar(name string, names []string) string {
	best, distance := "", 3
	for _, k := range names {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	return best
}

// editDistance returns how many letters must be added, removed or replaced; it is not computed for names that
// differ in length by more than two.
func editDistance(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, name := range types {
		switch name {
		case "object", "array", "integer":
			names[i] = "an " + name
		case "boolean":
			names[i] = "true or false"
		default:
			names[i] = "a " + name
		}
	}
	return joinChoices(names)
}

func formatName(format string) string {
	switch format {
	case "date-time":
		return "a time such as 2030-01-31T12:00:00Z"
	case "email":
		return "an e-mail address"
	}
	return "a " + format
}

func toTexts(values []any) []string {
	found := make([]string, len(values))
	for i, value := range values {
		found[i] = fmt.Sprint(value)
	}
	return found
}

// oneOf lists the values of an enumeration.
func oneOf(values []any) string {
	if len(values) == 1 {
		return fmt.Sprint(values[0])
	}
	return "one of " + strings.Join(toTexts(values), ", ")
}

// joinChoices lists alternatives for a sentence.
func joinChoices(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// joinWords lists all of some words for a sentence.
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func pluralSuffix(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
