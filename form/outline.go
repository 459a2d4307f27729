package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// maxSchemaDepth is the maximum nesting of schemas and UI schemas. Deeper parts are ignored.
const maxSchemaDepth = 64

// newOutline returns the outline of the value of an input. A schema that cannot be compiled has no statements. It returns an
// error for a schema that is not JSON.
func newOutline(in *Input, options ...jsondoc.Option) (*jsondoc.Outline, error) {
	if _, err := jsondoc.Decode(in.Schema, maxSchemaDepth); err != nil {
		return nil, fmt.Errorf("reading the schema of a form: %w", err)
	}
	schema, _ := jsondoc.CompileCached(bytes.TrimSpace(in.Schema))
	picked := jsondoc.Picked{}
	for key, branch := range in.Picked {
		picked[key] = branch
	}
	outline, err := schema.Outline(in.Value, picked, options...)
	if err != nil {
		// Values beyond the limits of validation are shown without their schema.
		return (*jsondoc.Schema)(nil).Outline(nil, nil)
	}
	return outline, nil
}

// isNamed reports whether the schema declares a member of an object, or types all other members.
func isNamed(p *jsondoc.Place, name string) bool {
	return findNamed(p, name) != nil || p.Member(name).HasStatements()
}

// findNamed returns the declaration of a member, or nil.
func findNamed(p *jsondoc.Place, name string) *jsondoc.Named {
	named := p.Members().Named
	for i := range named {
		if named[i].Name == name {
			return &named[i]
		}
	}
	return nil
}

// isRequired reports whether a member is required now.
func isRequired(p *jsondoc.Place, name string) bool {
	named := findNamed(p, name)
	return named != nil && named.Required.IsRequired()
}

// memberAt returns the place at a path of names.
func memberAt(p *jsondoc.Place, path []string) *jsondoc.Place {
	for _, name := range path {
		p = p.Member(name)
	}
	return p
}

// labelFor returns the title of a member, or words from its name.
func labelFor(p *jsondoc.Place, name string) string {
	if title := p.Annotations().Title; title != "" {
		return title
	}
	return jsondoc.Humanise(name)
}

// titleOf returns the title of a value in an enumeration.
func titleOf(p *jsondoc.Place, w wording, value any) (string, bool) {
	for _, option := range p.Enumeration().Values {
		if !jsondoc.Equal(option.Value, value) {
			continue
		}
		keys := w.optionKeys(option.Label(), option.I18n)
		if option.Title != "" {
			return w.texts.Find(option.Title, keys...).Text, true
		}
		found, ok := w.texts.FindOwn(keys...)
		return found.Text, ok
	}
	return "", false
}

// maxExamples is the number of examples that a control shows.
const maxExamples = 3

// exampleTexts returns the first scalars of examples as JSON texts.
func exampleTexts(examples []json.RawMessage) []string {
	var texts []string
	for _, example := range examples {
		value, err := jsondoc.DecodeExactly(example, 1)
		switch value.(type) {
		case *object, []any, deep, nil:
			continue
		}
		if text := jsondoc.ReadableText(value); err == nil && text != "" && len(texts) < maxExamples {
			texts = append(texts, string(example))
		}
	}
	return texts
}

// sufficientLabels returns the labels of the members that suffice for the object at a path.
func (s Texts) sufficientLabels(path []string, p *jsondoc.Place) []string {
	var labels []string
	for _, names := range p.Sufficient() {
		var set []string
		for _, name := range names {
			set = append(set, s.label(extendPath(path, name), p.Member(name)).Text)
		}
		labels = append(labels, strings.Join(set, " + "))
	}
	return labels
}
