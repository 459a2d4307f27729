package resource

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/translation"
)

// maxMessageDepth is the maximum nesting of layouts with messages.
const maxMessageDepth = 64

// messageReader adds the texts of a form to the messages of a definition.
type messageReader struct {
	to *Translatable
	// controls are the elements of the layout by the prefixes of their values.
	controls map[string]*jsondoc.Object
	// within are the names around the value.
	within []string
}

// addForm adds the texts of a schema and of a layout. within are the names around the value.
func (t *Translatable) addForm(schema, layout json.RawMessage, within ...string) {
	if len(schema) == 0 {
		return
	}
	r := &messageReader{to: t, controls: map[string]*jsondoc.Object{}, within: within}
	decoded, _ := jsondoc.Decode(layout, maxMessageDepth)
	r.readLayout(decoded, within)
	compiled, _ := jsondoc.CompileCached(schema)
	for _, place := range compiled.Texts() {
		r.addPlace(&place)
	}
}

// readLayout adds the texts of an element of a layout, and keeps its controls.
func (r *messageReader) readLayout(element any, within []string) {
	e, ok := element.(*jsondoc.Object)
	if !ok {
		return
	}
	options, _ := e.Members["options"].(*jsondoc.Object)
	label, _ := e.Members["label"].(string)
	switch kind := e.Text("type"); kind {
	case "Control", "ListWithDetail":
		path, ok := jsondoc.ScopePath(e.Text("scope"))
		if !ok {
			return
		}
		path = slices.Concat(within, path)
		if at := translation.PathPrefix(path); r.controls[at] == nil {
			r.controls[at] = e
		}
		detail, _ := options.Get("detail")
		r.readLayout(detail, path)
	case "Label":
		r.addHeading(e, cmp.Or(label, e.Text("text")), translation.SuffixText)
	case "Group", "Category":
		r.addHeading(e, label, translation.SuffixLabel)
	}
	list, _ := e.Members["elements"].([]any)
	for _, child := range list {
		r.readLayout(child, within)
	}
}

func (r *messageReader) addHeading(e *jsondoc.Object, text, suffix string) {
	if key := e.Text("i18n"); key != "" {
		r.to.add(key+suffix, text)
		return
	}
	r.to.add(translation.HeadingKey(text), text)
}

// addPlace adds the texts of a place. A control of the layout replaces texts of the schema, but not at the other paths of a
// recursive schema.
func (r *messageReader) addPlace(p *jsondoc.PlaceTexts) {
	path := slices.Concat(r.within, p.Path)
	prefix := translation.PathPrefix(path)
	own := slices.Clone(p.I18n)
	if !p.HasPrefix {
		own = append(own, prefix)
	}
	control := r.controls[prefix]
	if p.IsEntry {
		control = nil
	}
	if control != nil {
		r.addControl(control, p, cmp.Or(control.Text("i18n"), own[0]))
	}
	for _, of := range own {
		if control != nil && control.Text("i18n") != "" && !p.Repeats {
			continue
		}
		r.to.prefixes[of] = true
		r.addOptions(of, p)
		if control == nil || p.Repeats {
			r.addTexts(of, p, path)
		}
	}
}

// addControl adds the texts of a control of the layout, with the ones of the schema that it lacks.
func (r *messageReader) addControl(control *jsondoc.Object, p *jsondoc.PlaceTexts, prefix string) {
	label, _ := control.Get("label")
	text, _ := label.(string)
	if o, ok := label.(*jsondoc.Object); ok {
		text = o.Text("text")
	}
	options, _ := control.Get("options")
	shown, _ := options.(*jsondoc.Object)
	r.to.prefixes[prefix] = true
	r.to.add(prefix+translation.SuffixLabel, text)
	r.to.add(prefix+translation.SuffixDescription, shown.Text("help"))
	r.to.add(prefix+translation.SuffixPlaceholder, shown.Text("placeholder"))
	of := *p
	if text != "" {
		of.Titles, of.IsTitled = nil, true
	}
	if shown.Text("help") != "" {
		of.Descriptions = nil
	}
	r.addTexts(prefix, &of, slices.Concat(r.within, p.Path))
	r.addOptions(prefix, p)
}

// addTexts adds the labels and descriptions of a place under a prefix.
func (r *messageReader) addTexts(prefix string, p *jsondoc.PlaceTexts, path []string) {
	titles, isOwn := p.Titles, prefix != translation.PathPrefix(path)
	switch {
	case p.IsEntry:
		if !isOwn {
			prefix = translation.EntryPrefix(prefix)
		}
	case len(p.Path) > 0:
		if !p.IsTitled {
			titles = append([]string{jsondoc.Humanise(path[len(path)-1])}, titles...)
		}
	case p.Types.Has(jsondoc.TypeObject) && !p.Repeats:
		titles = nil // A form has no label.
	}
	r.addAll(prefix, translation.SuffixLabel, titles, isOwn)
	r.addAll(prefix, translation.SuffixDescription, p.Descriptions, isOwn)
}

// addAll adds the texts that forms show for one value. isOwn reports whether the definition states the prefix.
func (r *messageReader) addAll(prefix, suffix string, texts []string, isOwn bool) {
	for _, text := range texts {
		keys := translation.TextKeys(prefix, suffix, text)
		if first := r.to.sources[keys[1]]; first != "" && first != text && !isOwn {
			r.to.add(keys[0], text)
			continue
		}
		r.to.optional[keys[0]] = true
		r.to.add(keys[1], text)
	}
}

// addOptions adds the titles of the values and of the alternatives of a place.
func (r *messageReader) addOptions(prefix string, p *jsondoc.PlaceTexts) {
	add := func(title, key string) {
		if title != "" {
			r.to.add(cmp.Or(key, translation.OptionKey(prefix, title)), title)
		}
	}
	for _, option := range p.Options {
		if option.Value != nil {
			add(option.Label(), option.I18n)
		}
	}
	for i := range p.Branches {
		add(p.Branches[i].Label(), p.Branches[i].I18n)
	}
}
