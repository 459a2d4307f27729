package assistance

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxFillDepth bounds objects within each other in a filled schema.
const maxFillDepth = 16

// A filler makes a value that fits a schema out of quotes.
type filler struct {
	root   any
	quotes []quote
	// all is the answer in words, for the first text without a better one.
	all string
}

// fillSchema makes an object for a schema. What it cannot make fit, it leaves for
// the check that follows to refuse.
func fillSchema(schema json.RawMessage, quotes []quote, all string) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		return nil, &Error{Code: CodeRefused, Message: "the schema of the answer is not valid", Cause: err}
	}
	f := &filler{root: root, quotes: quotes, all: all}
	value, _ := f.value(root, "", maxFillDepth)
	text, err := json.Marshal(value)
	if err != nil {
		return nil, &Error{Code: CodeInvalidAnswer, Message: "the built-in provider cannot fill this schema", Cause: err}
	}
	return text, nil
}

// value fills a schema. It reports whether the value is more than a stopgap.
func (f *filler) value(node any, named string, depth int) (any, bool) {
	schema, ok := f.resolve(node)
	if !ok || depth == 0 {
		return f.text(nil, named)
	}
	for _, keyword := range []string{"const", "default"} {
		if fixed, ok := schema[keyword]; ok {
			return fixed, true
		}
	}
	if options, ok := schema["enum"].([]any); ok && len(options) > 0 {
		return f.option(options)
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		if list, ok := schema[keyword].([]any); ok && len(list) > 0 && schema["properties"] == nil {
			return f.value(list[0], named, depth-1)
		}
	}
	switch typeOf(schema) {
	case "object":
		return f.object(schema, depth)
	case "array":
		element, found := f.value(schema["items"], named, depth-1)
		least, _ := schema["minItems"].(json.Number)
		if found || least != "" && least != "0" {
			return []any{element}, found
		}
		return []any{}, false
	case "number", "integer":
		return f.number(schema, named)
	case "boolean":
		return false, false
	case "null":
		return nil, false
	}
	return f.text(schema, named)
}

// object fills all required members, and those that something was found for.
func (f *filler) object(schema map[string]any, depth int) (any, bool) {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	members, filled := map[string]any{}, false
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value, found := f.value(properties[name], name, depth-1)
		needed := slices.ContainsFunc(required, func(other any) bool { return other == name })
		if found || needed {
			members[name] = value
		}
		filled = filled || found
	}
	return members, filled
}

// option is the first one that a quote names, else the first.
func (f *filler) option(options []any) (any, bool) {
	for _, q := range f.quotes {
		for _, option := range options {
			word, ok := option.(string)
			if ok && word != "" && strings.Contains(" "+words(q.text)+" ", " "+words(word)+" ") {
				return option, true
			}
		}
	}
	return options[0], false
}

// number is the first one of the quote that is nearest to the name.
func (f *filler) number(schema map[string]any, named string) (any, bool) {
	pattern := regexp.MustCompile(`\d+(?:\.\d+)?`)
	if typeOf(schema) == "integer" {
		pattern = regexp.MustCompile(`\d+`)
	}
	if q, ok := f.nearest(named, schema); ok {
		// Thousands are parted in many ways; only commas are no part of a number.
		digits := pattern.FindString(regexp.MustCompile(`(\d),(\d{3})`).ReplaceAllString(q.text, "$1$2"))
		if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" && trimmed[0] != '.' {
			return json.Number(trimmed), true
		}
	}
	if least, ok := schema["minimum"].(json.Number); ok {
		return least, false
	}
	return json.Number("0"), false
}

// text is the quote nearest to the name, within the bounds of the schema.
func (f *filler) text(schema map[string]any, named string) (any, bool) {
	q, found := f.nearest(named, schema)
	text := f.all
	if found {
		text = q.text + " [" + q.document + "]"
	}
	if format, _ := schema["format"].(string); format == "date" {
		date := regexp.MustCompile(`\d{4}-\d{2}-\d{2}`).FindString(text)
		return date, date != ""
	}
	if most, ok := schema["maxLength"].(json.Number); ok {
		if n, err := most.Int64(); err == nil && n >= 0 {
			runes := []rune(text)
			text = string(runes[:min(int64(len(runes)), n)])
		}
	}
	return text, true
}

// nearest is the quote with most words of a name, the title and the description.
// Where none has any, the first one is.
func (f *filler) nearest(named string, schema map[string]any) (quote, bool) {
	if len(f.quotes) == 0 {
		return quote{}, false
	}
	title, _ := schema["title"].(string)
	description, _ := schema["description"].(string)
	wanted := wordVector(words(named) + " " + title + " " + description)
	vectors := make([][]float32, len(f.quotes))
	for i, q := range f.quotes {
		vectors[i] = wordVector(q.text)
	}
	matches, err := Closest(wanted, vectors, 1)
	if err != nil {
		return quote{}, false
	}
	return f.quotes[matches[0].Index], true
}

// resolve follows references within the schema.
func (f *filler) resolve(node any) (map[string]any, bool) {
	for range maxFillDepth {
		schema, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		path, ok := schema["$ref"].(string)
		if !ok {
			return schema, true
		}
		node = f.root
		for token := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(path, "#"), "/"), "/") {
			if token == "" {
				continue
			}
			parent, _ := node.(map[string]any)
			node = parent[strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")]
		}
	}
	return nil, false
}

func typeOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		for _, entry := range t {
			if name, ok := entry.(string); ok && name != "null" {
				return name
			}
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return ""
}

// words is a text in small letters, with one space between its words.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}
