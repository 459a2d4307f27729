package forms

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// separateHint returns the text between a help text and a hint.
func separateHint(help string) string {
	if help == "" {
		return ""
	}
	between := " · "
	if last, _ := utf8.DecodeLastRuneInString(help); unicode.IsPunct(last) {
		between = " "
	}
	return between
}

// boundsHint returns a description of the bounds that users should know in advance.
func boundsHint(ctx context.Context, n *form.Node) string {
	var parts []string
	if n.Kind == form.KindTags && !n.IsLocked() {
		parts = append(parts, ui.T(ctx, "One entry on each line."))
	}
	if len(n.Bounds.Accept) > 0 {
		parts = append(parts, ui.T(ctx, "Kinds of file: %s.", acceptText(ctx, n.Bounds.Accept)))
	}
	if n.Bounds.MaxSize > 0 {
		parts = append(parts, ui.T(ctx, "At most %s.", ui.Size(ctx, n.Bounds.MaxSize)))
	}
	if n.Kind == form.KindJSON && !n.IsLocked() {
		parts = append(parts, ui.T(ctx, "This value is edited as JSON."))
	}
	if n.Deprecated {
		parts = append(parts, ui.T(ctx, "This field is deprecated."))
	}
	if len(n.Examples) > 0 && !n.IsLocked() {
		var examples []string
		for _, example := range n.Examples {
			examples = append(examples, displayText(ctx, n.Showing(example)))
		}
		parts = append(parts, ui.T(ctx, "For example: %s.", strings.Join(examples, ", ")))
	}
	if n.Kind == form.KindDateTime {
		parts = append(parts, ui.T(ctx, "Times are those of %s.", ui.ViewerOf(ctx).Zone.String()))
	}
	return strings.Join(parts, " ")
}

// inputType returns the type of the input of a control. A value that a browser would
// not show in it is shown as text.
func (p *page) inputType(n *form.Node) string {
	text := p.inputText(n)
	shape := ""
	switch n.Kind { //nolint:exhaustive // the others have no input of their own
	case form.KindDate:
		shape = "0000-00-00"
	case form.KindTime:
		shape = "00:00"
	case form.KindDateTime:
		shape = "0000-00-00T00:00"
	}
	long := shape
	if n.Kind != form.KindDate {
		long += ":00"
	}
	switch {
	case n.Kind == form.KindSecret:
		return "password"
	case shape == "" || text != "" && !matchesShape(text, shape) && !matchesShape(text, long) && !hasMilliseconds(n, text, long):
		return "text"
	case n.Kind == form.KindDateTime:
		return "datetime-local"
	}
	return string(n.Kind)
}

// hasMilliseconds reports whether a text has a shape and up to three digits of a fraction of a second.
func hasMilliseconds(n *form.Node, text, shape string) bool {
	whole, fraction, ok := strings.Cut(text, ".")
	return ok && n.Kind != form.KindDate && matchesShape(whole, shape) && len(fraction) <= 3 && matchesShape(fraction, "000"[:len(fraction)])
}

// inputStep returns the precision of the input of a time, in seconds.
func (p *page) inputStep(n *form.Node) string {
	if strings.Contains(p.inputText(n), ".") {
		return "0.001"
	}
	return "1"
}

// matchesShape reports whether a text has digits where a shape has zeros, and is the same
// elsewhere.
func matchesShape(text, shape string) bool {
	digits := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, text)
	return digits == shape
}

// inputMode returns the keyboard that fits a control.
func inputMode(n *form.Node) string {
	switch {
	case n.Kind == form.KindNumber:
		return "decimal"
	case n.Kind == form.KindInteger:
		return "numeric"
	case n.Bounds.Format == "email":
		return "email"
	case n.Bounds.Format == "uri":
		return "url"
	}
	return "text"
}

// fileName returns the name and the size of a file that a reference names.
func fileName(ctx context.Context, reference string) string {
	file, ok := kuflowref.ParseFile(reference)
	if !ok {
		return reference
	}
	name := file.Name
	if name == "" {
		name = ui.T(ctx, "Unnamed file")
	}
	return name + " (" + ui.Size(ctx, file.Size) + ")"
}

// previewOf returns where a file is shown in a frame, "" for nowhere.
func (p *page) previewOf(reference string) string {
	if p.preview == nil {
		return ""
	}
	return p.preview(reference)
}

// conflictText returns a value of a conflict for people to read. n is its control, nil for none.
func conflictText(ctx context.Context, n *form.Node, text string) string {
	switch {
	case text == "":
		return ui.T(ctx, "nothing")
	case n == nil:
		return ui.ValueText(ctx, json.RawMessage(text))
	}
	return displayText(ctx, n.Showing(text))
}

// inputAttributes returns the attributes of all kinds of inputs. Inputs in cells have no label element and are
// named after their column.
func (p *page) inputAttributes(n *form.Node) templ.OrderedAttributes {
	list := templ.OrderedAttributes{{Key: "id", Value: nodeID(n)}, {Key: "name", Value: prefixText + n.Name}}
	add := func(when bool, key, value string) {
		if when {
			list = append(list, templ.KV[string, any](key, value))
		}
	}
	add(!slices.Contains([]form.Kind{form.KindDate, form.KindTime, form.KindDateTime, form.KindSelect, form.KindCheck, form.KindToggle}, n.Kind), "dir", "auto")
	add(p.hasProblem(n), "aria-invalid", "true")
	add(p.descriptionIDs(n) != "", "aria-describedby", p.descriptionIDs(n))
	add(n.Required, "aria-required", "true")
	add(n.Hint != "", "placeholder", n.Hint)
	add(inputMode(n) != "text", "inputmode", inputMode(n))
	add(p.inputType(n) == "time" || p.inputType(n) == "datetime-local", "step", p.inputStep(n))
	add(isNamedByLabel(n), "aria-label", n.Label)
	add(inputLang(n) != "", "lang", inputLang(n))
	return list
}

// isNamedByLabel reports whether an input may have no label element.
func isNamedByLabel(n *form.Node) bool { return strings.LastIndexByte(n.Name, '/') > 0 }

// inputLang returns the language of the attributes of an input with texts, "" for the language of the page.
func inputLang(n *form.Node) string {
	switch {
	case n.Hint != "" && !n.Present() && n.HintLang != "":
		return n.HintLang
	case isNamedByLabel(n):
		return n.LabelLang
	}
	return ""
}

// pageLang returns the attributes of an element in the language of the page, within one in another language.
func pageLang(ctx context.Context, around string) templ.Attributes {
	if around == "" {
		return nil
	}
	return ui.LangAttribute(ui.ViewerOf(ctx).Language.String())
}

// optionLang returns the attributes of an option of a select.
func optionLang(ctx context.Context, n *form.Node, o form.Option) templ.Attributes {
	if o.Lang != "" {
		return ui.LangAttribute(o.Lang)
	}
	return pageLang(ctx, inputLang(n))
}

func optionID(n *form.Node, i int) string {
	if i == 0 && (n.Kind == form.KindRadio || n.Kind == form.KindChoices) {
		return nodeID(n)
	}
	return nodeID(n) + "." + strconv.Itoa(i)
}

// fileReferences returns the references of a file control.
func fileReferences(n *form.Node) []string {
	if n.Kind == form.KindFiles {
		return n.Texts()
	}
	if text := n.Text(form.Locale{}); text != "" {
		return []string{text}
	}
	return nil
}

// maxBranchRadios is the maximum number of alternatives that are shown as radio buttons.
const maxBranchRadios = 4

// choiceLabel returns the label of a choice.
func choiceLabel(ctx context.Context, n *form.Node) string {
	if n.Label == form.KindOfValue {
		return ui.T(ctx, "Kind")
	}
	return n.Label
}

// branchTitle returns the title of an alternative: its own, its type in words, or its number.
func branchTitle(ctx context.Context, n *form.Node, i int) string {
	if title := n.Options[i].Title; title != "" {
		return title
	}
	for j := range n.Choice.Branches {
		if j != i && n.Options[j].Title == "" && n.Choice.Branches[j].Types == n.Choice.Branches[i].Types {
			return ui.T(ctx, "Option %d", i+1)
		}
	}
	if title := typeTitle(n.Choice.Branches[i].Types); title != "" {
		return ui.T(ctx, title)
	}
	return ui.T(ctx, "Option %d", i+1)
}

// typeTitle returns the name of a type of values in English, "" for a set of several types.
func typeTitle(types jsondoc.Types) string {
	switch types { //nolint:exhaustive // sets of several types have no name
	case jsondoc.TypeString:
		return "Text"
	case jsondoc.TypeInteger:
		return "Whole number"
	case jsondoc.TypeNumber:
		return "Number"
	case jsondoc.TypeBoolean:
		return "Yes or no"
	case jsondoc.TypeArray:
		return "List"
	case jsondoc.TypeObject:
		return "Several fields"
	}
	return ""
}

// isBranch reports whether an alternative is selected.
func isBranch(n *form.Node, i int) bool { return n.Choice.Selected == i }

// storedDescription returns the type and text of a value that its control would write in another way.
func storedDescription(ctx context.Context, n *form.Node) string {
	text := form.ReadableJSON(n.Stored())
	switch n.Stored()[0] {
	case '"':
		return ui.T(ctx, "Stored as the text “%s”.", text)
	case 'n':
		return ui.T(ctx, "Stored as null.")
	}
	return ui.T(ctx, "Stored as %s, without quotes.", text)
}

// confirmedText returns the text that is read when a person confirms the value of a control, "" for none.
func confirmedText(n *form.Node) string {
	text := n.Text(form.Locale{})
	if strings.ContainsAny(text, "\r\n") {
		return "" // It is edited instead.
	}
	return text
}

// isClearable reports whether a control has no way of its own to remove its value.
func isClearable(n *form.Node) bool {
	if n.Required || n.IsLocked() {
		return false
	}
	switch n.Kind { //nolint:exhaustive // the others can be emptied
	case form.KindRadio, form.KindSelect:
		// The style sheet hides the button while there is no choice.
		return true
	case form.KindCheck, form.KindToggle:
		return n.Present()
	}
	return false
}

// isChosen reports whether the value of a control is among its options.
func isChosen(n *form.Node) bool { return slices.ContainsFunc(n.Options, n.IsChosen) }

// hasHelp reports whether a control has a help text.
func hasHelp(n *form.Node) bool {
	return n.Help != "" || n.Deprecated || len(n.Examples) > 0 && !n.IsLocked() || len(n.Bounds.Accept) > 0 || n.Bounds.MaxSize > 0 || n.Kind == form.KindTags ||
		n.Kind == form.KindDateTime || n.Kind == form.KindJSON && !n.IsLocked()
}
