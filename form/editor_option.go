package form

import (
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// listOptions returns the values to choose from at a place, nil for none. closed reports whether no other value is allowed.
func listOptions(p *jsondoc.Place, w wording) (options []Option, closed bool) {
	enumeration := p.Enumeration()
	for _, value := range enumeration.Values {
		option := Option{Value: string(jsonText(value.Value)), value: value.Value}
		w.setTitle(&option, value.Label(), value.I18n)
		options = append(options, option)
	}
	return options, enumeration.Closed
}

// setOptions sets the options, including the current value.
func (b *editorBuilder) setOptions(n *Node, e *element, options []Option) {
	if n.value != nil && !slices.ContainsFunc(options, func(o Option) bool { return jsondoc.Equal(o.value, n.value) }) {
		options = append(options, Option{
			Value: string(jsonText(n.value)), Title: jsondoc.ReadableText(n.value), Extra: true, value: n.value,
		})
	}
	n.Options = distinguishTitles(options)
	switch count := len(options); {
	case count > maxSelect || e.optionValue("autocomplete") == true:
		n.Kind = KindSearch
	case e.optionValue("format") == "radio" || count <= maxRadio && e.optionValue("format") != "select":
		n.Kind = KindRadio
	default:
		n.Kind = KindSelect
	}
}

// distinguishTitles appends the value to duplicate titles.
func distinguishTitles(options []Option) []Option {
	count := map[string]int{}
	for _, option := range options {
		count[option.Title]++
	}
	for i := range options {
		if options[i].Title != "" && count[options[i].Title] > 1 {
			options[i].Title += " (" + options[i].Value + ")"
		}
	}
	return options
}

// setSuggestions selects a control that offers values and takes others.
func (b *editorBuilder) setSuggestions(n *Node, options []Option, types jsondoc.Types) {
	n.Kind, n.Options, n.open = plainOr(n, KindSearch), distinguishTitles(options), true
	n.texts = types.Has(jsondoc.TypeString)
}

func (b *editorBuilder) setChoices(n *Node, item *jsondoc.Place, elements []any, a site) bool {
	options, closed := listOptions(item, b.editor.sources.at(extendPath(a.path, blankKey), item, nil))
	if !closed {
		return false
	}
	for _, element := range elements {
		if _, container := element.(*object); container {
			return false
		}
		if !slices.ContainsFunc(options, func(o Option) bool { return jsondoc.Equal(o.value, element) }) {
			options = append(options, Option{Value: string(jsonText(element)), Title: jsondoc.ReadableText(element), Extra: true, value: element})
		}
	}
	n.Kind, n.Options = KindChoices, distinguishTitles(options)
	return true
}

// branchOption returns the option for a branch of a choice. Its title may be "".
func branchOption(branch *jsondoc.Branch, index int, w wording) Option {
	option := Option{Value: strconv.Itoa(index)}
	w.setTitle(&option, branch.Label(), branch.I18n)
	return option
}
