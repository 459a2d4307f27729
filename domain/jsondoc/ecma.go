package jsondoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/pattern"
)

const (
	keywordPattern           = "pattern"
	keywordPatternProperties = "patternProperties"
)

// patternError is the error for a pattern that cannot be translated.
type patternError struct {
	pointer, message string
}

func (e *patternError) Error() string { return e.pointer + " " + e.message }

// expressions maps stand-ins to patterns. The library compiles every pattern of a schema with RE2, so a pattern that RE2
// does not have is replaced by a stand-in before, and the expressions in the compiled schema by translations afterwards.
type expressions struct {
	texts map[string]string
	// tokens are the texts by stand-in, both as tokens of a location of the library.
	tokens map[string]string
}

// placeholderPrefix begins stand-ins.
const placeholderPrefix = "(?:ECMA-262)"

// replacePatterns returns a schema with stand-ins for the patterns that RE2 does not have. The error of a pattern that
// cannot be translated is a *patternError.
func replacePatterns(source json.RawMessage) (json.RawMessage, *expressions, error) {
	value, _, err := decodeText(source)
	if err != nil {
		return nil, nil, err
	}
	found := &expressions{texts: map[string]string{}, tokens: map[string]string{}}
	if err := found.replaceIn(value, nil, true); err != nil {
		return nil, nil, err
	}
	replaced, err := json.Marshal(value)
	return replaced, found, err
}

// replaceIn replaces the patterns of a schema or of a list of schemas. Below unknown keywords a pattern that cannot be
// translated stays: it may be data.
func (e *expressions) replaceIn(value any, at []string, isSchema bool) error {
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			if err := e.replaceIn(element, extendPath(at, strconv.Itoa(i)), isSchema); err != nil {
				return err
			}
		}
	case map[string]any:
		if text, ok := v[keywordPattern].(string); ok {
			placeholder, err := e.placeholderOf(text, extendPath(at, keywordPattern))
			if err != nil && isSchema {
				return err
			}
			v[keywordPattern] = placeholder
		}
		for _, keyword := range slices.Sorted(maps.Keys(v)) {
			if err := e.replaceInMember(keyword, v[keyword], extendPath(at, keyword), isSchema); err != nil {
				return err
			}
		}
		return e.replaceNames(v, at, isSchema)
	}
	return nil
}

// replaceInMember replaces the patterns in the value of a keyword.
func (e *expressions) replaceInMember(keyword string, value any, at []string, isSchema bool) error {
	switch contentsOf(keyword) {
	case holdsData:
	case holdsNamed:
		named, _ := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if err := e.replaceIn(named[name], extendPath(at, name), isSchema); err != nil {
				return err
			}
		}
	case holdsSchemas:
		return e.replaceIn(value, at, isSchema && isApplicator(keyword))
	}
	return nil
}

// replaceNames replaces the names of patternProperties.
func (e *expressions) replaceNames(schema map[string]any, at []string, isSchema bool) error {
	named, ok := schema[keywordPatternProperties].(map[string]any)
	if !ok {
		return nil
	}
	replaced := make(map[string]any, len(named))
	for _, name := range slices.Sorted(maps.Keys(named)) {
		placeholder, err := e.placeholderOf(name, extendPath(at, keywordPatternProperties, name))
		if err != nil && isSchema {
			return err
		}
		replaced[placeholder] = named[name]
	}
	schema[keywordPatternProperties] = replaced
	return nil
}

// isApplicator reports whether the value of a keyword is a schema or a list of schemas.
func isApplicator(keyword string) bool {
	return slices.Contains([]string{
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "items", "additionalItems", "prefixItems", "contains",
		"additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
	}, keyword)
}

// placeholderOf returns a pattern of RE2 for a pattern: the pattern itself or a stand-in. With an error it returns the pattern.
func (e *expressions) placeholderOf(text string, at []string) (string, error) {
	if _, err := syntax.Parse(text, syntax.Perl); err == nil {
		return text, nil
	}
	if err := checkPattern(text); err != "" {
		return text, &patternError{pointer: jsontext.JoinPointer(at...), message: err}
	}
	placeholder := placeholderPrefix + regexp.QuoteMeta(text)
	e.texts[placeholder] = text
	e.tokens[locationToken(placeholder)] = locationToken(text)
	return placeholder, nil
}

// checkPattern returns the reason why a pattern cannot be translated, "" if there is none.
func checkPattern(text string) string {
	_, err := pattern.Translate(text)
	switch unsupported, ok := err.(*pattern.Error); { //nolint:errorlint // Translate returns it as it is
	case err == nil:
		return ""
	case ok && unsupported.Unsupported:
		return err.Error() + ": combine several patterns with allOf and not"
	}
	return "is not a regular expression: it " + err.Error()
}

// translateSchema replaces the expressions of a compiled subschema by the translations of its patterns, and the stand-ins
// in its location by the patterns.
func (e *expressions) translateSchema(s *jsonschema.Schema) error {
	if outsideDocument(s) {
		return nil
	}
	s.Location = e.restoreLocation(s.Location)
	var err error
	if s.Pattern != nil {
		s.Pattern, err = e.translateExpression(s.Pattern, pattern.MaxText)
	}
	if s.PatternProperties == nil || err != nil {
		return err
	}
	translated := make(map[*regexp.Regexp]*jsonschema.Schema, len(s.PatternProperties))
	texts := map[string]bool{}
	for expression, child := range s.PatternProperties {
		// Violations contain the expression.
		if expression, err = e.translateExpression(expression, maxLocation); err != nil {
			return err
		}
		// Readers of the schema tell the expressions apart by their texts.
		for texts[expression.String()] {
			expression = regexp.MustCompile(expression.String() + "(?:)")
		}
		texts[expression.String()] = true
		translated[expression] = child
	}
	s.PatternProperties = translated
	return nil
}

// translateExpression returns the translation of a pattern. A pattern without one stays, and a pattern of RE2 with a longer
// translation keeps its meaning.
func (e *expressions) translateExpression(expression *regexp.Regexp, limit int) (*regexp.Regexp, error) {
	text := expression.String()
	original, replaced := text, false
	if e != nil {
		if isSchema, ok := e.texts[text]; ok {
			original, replaced = isSchema, true
		}
	}
	translated, err := pattern.Translate(original)
	if err != nil {
		translated = text
	}
	switch {
	case translated == text, len(translated) > limit && !replaced:
		return expression, nil
	case len(translated) > limit:
		return nil, fmt.Errorf("a pattern of %d characters is too complex", len(original))
	}
	return regexp.Compile(translated)
}

// locationToken returns a name as the library has it in a location.
func locationToken(name string) string { return url.PathEscape(jsontext.EscapeToken(name)) }

// restoreLocation replaces the stand-ins in a location of the library by their patterns.
func (e *expressions) restoreLocation(location string) string {
	if e == nil || !strings.Contains(location, locationToken(placeholderPrefix)) {
		return location
	}
	tokens := strings.Split(location, "/")
	for i, token := range tokens {
		if text, ok := e.tokens[token]; ok {
			tokens[i] = text
		}
	}
	return strings.Join(tokens, "/")
}
