package jsondoc

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Annotations are the keywords about a place that do not restrict its value.
type Annotations struct {
	Title, Description string
	// Default is nil for none.
	Default json.RawMessage
	// Examples are JSON texts.
	Examples                    []json.RawMessage
	ReadOnly, WriteOnly         bool
	Deprecated                  bool
	Format, MediaType, Encoding string
	// DataSource is the code of the data source of references to items.
	DataSource string
	// I18n is the prefix of the keys of translations (JSON Forms).
	I18n string
}

// Annotations returns the annotations of a place. The first subschema with a keyword counts; a title of an alternative
// does not name the place.
func (p *Place) Annotations() Annotations {
	var a Annotations
	branch := map[*jsonschema.Schema]bool{}
	nodes := make([]*jsonschema.Schema, 0, len(p.parts)+len(p.labels))
	for _, s := range p.parts {
		nodes = append(nodes, s.node)
		branch[s.node] = s.branch && slices.ContainsFunc(p.choices, func(c *Choice) bool { return !c.OfTypes })
	}
	for _, node := range append(nodes, p.labels...) {
		source := p.outline.facts.sources[node]
		if source == nil {
			continue
		}
		if !branch[node] {
			setText(&a.Title, source, keywordTitle)
			setText(&a.Description, source, keywordDescription)
			setText(&a.I18n, source, keywordI18n)
		}
		setText(&a.Format, source, keywordFormat)
		setText(&a.MediaType, source, "contentMediaType")
		setText(&a.Encoding, source, "contentEncoding")
		setText(&a.DataSource, source, keywordDataSource)
		if value, ok := source.Get("default"); ok && a.Default == nil && !branch[node] {
			a.Default = marshalValue(value)
		}
		if list, ok := source.Members["examples"].([]any); ok && a.Examples == nil {
			for _, example := range list {
				a.Examples = append(a.Examples, marshalValue(example))
			}
		}
		a.ReadOnly = a.ReadOnly || source.Members["readOnly"] == true
		a.WriteOnly = a.WriteOnly || source.Members["writeOnly"] == true
		a.Deprecated = a.Deprecated || source.Members["deprecated"] == true
	}
	return a
}

func setText(text *string, source *Object, keyword string) {
	if *text == "" {
		*text = source.Text(keyword)
	}
}

func marshalValue(value any) json.RawMessage {
	text, err := jsontext.Marshal(value)
	if err != nil {
		return nil // Values that were decoded can be encoded.
	}
	return text
}

// Bounds are the limits that the schema sets for a value. Missing texts are "", missing counts -1.
type Bounds struct {
	Minimum, Maximum, Above, Below, MultipleOf string
	MinLength, MaxLength, MinItems, MaxItems   int
	Unique                                     bool
	Pattern, Format                            string
	// Accept lists media types and extensions of files, MaxSize is in bytes.
	Accept  []string
	MaxSize int64
}

// Bounds returns the tightest limits of all subschemas.
func (p *Place) Bounds() Bounds {
	b := Bounds{MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1}
	for _, s := range p.parts {
		b.restrictBy(s.node, p.outline.facts.sources[s.node])
	}
	return b
}

func (b *Bounds) restrictBy(node *jsonschema.Schema, source *Object) {
	if node.Minimum != nil {
		tightenNumber(&b.Minimum, source, "minimum", 1)
	}
	if node.Maximum != nil {
		tightenNumber(&b.Maximum, source, "maximum", -1)
	}
	if node.ExclusiveMinimum != nil {
		tightenNumber(&b.Above, source, exclusiveKeyword(source, "exclusiveMinimum", "minimum"), 1)
	}
	if node.ExclusiveMaximum != nil {
		tightenNumber(&b.Below, source, exclusiveKeyword(source, "exclusiveMaximum", "maximum"), -1)
	}
	if node.MultipleOf != nil && b.MultipleOf == "" {
		tightenNumber(&b.MultipleOf, source, "multipleOf", 1)
	}
	b.MinLength, b.MinItems = max(b.MinLength, node.MinLength), max(b.MinItems, node.MinItems)
	b.MaxLength, b.MaxItems = smallerCount(b.MaxLength, node.MaxLength), smallerCount(b.MaxItems, node.MaxItems)
	b.Unique = b.Unique || node.UniqueItems
	if node.Pattern != nil && b.Pattern == "" {
		b.Pattern = source.Text("pattern")
	}
	if b.Format == "" {
		b.Format = node.Format
	}
	if source == nil || rulesOf(node) == nil {
		return
	}
	switch accept := source.Members[keywordAccept].(type) {
	case string:
		b.Accept = strings.Split(accept, ",")
	case []any:
		for _, entry := range accept {
			if text, ok := entry.(string); ok {
				b.Accept = append(b.Accept, text)
			}
		}
	}
	for i := range b.Accept {
		b.Accept[i] = strings.TrimSpace(b.Accept[i])
	}
	if size := rulesOf(node).maxSize; size != nil && (b.MaxSize == 0 || *size < b.MaxSize) {
		b.MaxSize = *size
	}
}

// exclusiveKeyword returns the keyword with the number of an exclusive limit: in draft 4 it is the limit's own.
func exclusiveKeyword(source *Object, keyword, limit string) string {
	value, _ := source.Get(keyword)
	if _, number := value.(json.Number); number {
		return keyword
	}
	return limit
}

// tightenNumber replaces a limit by another one in the direction, 1 for minima.
func tightenNumber(limit *string, source *Object, keyword string, direction int) {
	value, _ := source.Get(keyword)
	number, ok := value.(json.Number)
	if ok && (*limit == "" || CompareNumbers(number, json.Number(*limit))*direction > 0) {
		*limit = number.String()
	}
}

func smallerCount(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// HasKeyword reports whether a subschema of the place has one of the keywords.
func (p *Place) HasKeyword(keywords ...string) bool {
	return slices.ContainsFunc(p.parts, func(s part) bool {
		source := p.outline.facts.sources[s.node]
		return source != nil && slices.ContainsFunc(keywords, func(keyword string) bool { _, ok := source.Get(keyword); return ok })
	})
}
