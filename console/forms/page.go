package forms

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// Prefixes of the names of inputs; the name of a node follows.
const (
	prefixText      = "v"
	prefixOrder     = "o"
	prefixReference = "r"
	prefixFile      = "u"
	prefixBranch    = "b"
	prefixMember    = "k"
	// The offset of a time of day or the unit of a duration.
	prefixQualifier = "z"
)

// Names of the other inputs of a form.
const (
	inputVersion  = "version"
	inputBase     = "base"
	inputZone     = "zone"
	inputDo       = "do"
	inputConflict = "conflict"
	inputTheirs   = "theirs"
	inputTried    = "tried"
	inputAttempt  = "attempt"
	// The names of controls whose texts are read even if they are unchanged.
	inputConfirmed = "confirmed"
	// The removed values that can be set again.
	inputUndo = "undo"
)

// Actions of buttons. The name of a value or a row follows after a colon.
const (
	doSave     = "save"
	doComplete = "complete"
	doAnyway   = "anyway"
	doAdd      = "add"
	doDrop     = "drop"
	doRemove   = "remove"
	doUp       = "up"
	doDown     = "down"
	doMine     = "mine"
	doTheirs   = "theirs"
	// Show the fields of an absent value.
	doOpen = "open"
	// Read the shown text of a control, remove its value, or take the default of the schema.
	doConfirm = "confirm"
	doClear   = "clear"
	doDefault = "default"
	// Remove the values of an object that are not part of the form, and set them again.
	doStray = "stray"
	// Choose a reading of an ambiguous number, or an instant of a local time.
	doRead = "read"
	doUndo = "undo"
	// Switch to another alternative and remove the values of the former one.
	doSwitch = "switch"
	// Show the former alternative again.
	doKeep = "keep"
	// Add a column to a matrix.
	doColumn = "column"
	// Search a data source, and choose a result.
	doFind   = "find"
	doChoose = "choose"
)

// page contains a form with its state for rendering.
type page struct {
	editor *form.Editor
	locale form.Locale
	// action is the path that the form is sent to.
	action  string
	version string
	// problems are errors of values by pointer.
	problems map[string][]translation.Text
	summary  []problem
	// summarized are the pointers of the values that the summary is about.
	summarized map[string]bool
	conflicts  map[string]form.Conflict
	// changedBy and changedByViewer are ChangedBy and ChangedByViewer of the document.
	changedBy       string
	changedByViewer bool
	// inputs are texts that could not be kept, by the names of nodes.
	inputs map[string]string
	// blank are keys of rows to be filled in, by the names of arrays.
	blank    map[string][]string
	readOnly bool
	// completeLabel is the label of the button that completes, "" for none, and completeAnywayLabel the one
	// that does so in spite of problems.
	completeLabel, completeAnywayLabel string
	// submitted reports whether completing was tried; from then on missing values are marked.
	submitted bool
	// posted reports whether the page answers a form that was sent without a script.
	posted bool
	// draft reports whether the value stays in the page, pageID is the id of its page. origin is the stored value of a page that
	// shows defaults as suggestions, nil for none.
	draft  bool
	origin json.RawMessage
	pageID string
	// initial is origin with the defaults of the schema.
	initial json.RawMessage
	message string
	// noFilesReason is the reason why files cannot be added, "" where they can.
	noFilesReason string
	// marks are the origins of values, by their pointers.
	marks map[string]string
	// link returns where a file is downloaded, "" for nowhere.
	link func(reference string) string
	// preview returns where a file is shown in a frame, "" for nowhere.
	preview func(reference string) string

	// ambiguous are the readings of numbers, by the names of nodes.
	ambiguous map[string][]locale.Candidate
	// times are the instants for local times in gaps and doubled hours, by the names of nodes.
	times map[string]locale.Resolution
	// undo contains the values that the post has removed, as JSON by their pointers, and removed their labels.
	undo    string
	removed []string
	// question is a switch that has to be confirmed.
	question *alternation
	// memberNames are typed names of members that are not stored, by the names of their rows, and memberProblems the reasons.
	memberNames, memberProblems map[string]string

	// search is the result of a search, nil for none.
	search *items

	parts map[*form.Node]int
}

// problem is an entry of the summary.
type problem struct {
	// ID is the id of the control, "" where there is none.
	ID   string `json:"id"`
	Name string `json:"name"`
	Text string `json:"text"`
	// Lang is the language of Text, "" for the language of the page.
	Lang string `json:"lang,omitempty"`
	// Missing problems concern missing values. They are shown after the person left the control, or tried to
	// complete.
	Missing bool `json:"missing,omitempty"`
	// Unsaved problems concern a text without a value. The script sends it with every request.
	Unsaved bool `json:"unsaved,omitempty"`
}

// isMissing reports whether an error concerns a missing value.
func isMissing(e domain.ValueError, value json.RawMessage) bool {
	switch e.Type {
	case "required", "requiredOnUpdate", "dependentRequired", "dependencies":
		return true
	}
	found, ok := jsondoc.Lookup(value, e.PropertyPath)
	return !ok || slices.Contains([]string{"", "{}", "null"}, string(found))
}

// addErrors shows the errors of a value at its controls.
func (p *page) addErrors(ctx context.Context, errors []domain.ValueError, value json.RawMessage) {
	p.problems, p.summary, p.summarized = map[string][]translation.Text{}, nil, map[string]bool{}
	for _, e := range p.editor.Explain(errors) {
		p.summarized[e.PropertyPath] = true
		n, _ := p.findControl(e.PropertyPath)
		label := p.labelAt(ctx, e.PropertyPath)
		if n != nil && n.Hidden {
			n = nil
		}
		text := ErrorMessage(ctx, label, p.editor.Describe(e.PropertyPath), e)
		entry := problem{Text: text.Text, Lang: text.Lang, Missing: isMissing(e, value)}
		if n != nil {
			entry.ID, entry.Name = nodeID(n), n.Name
			if p.submitted || !entry.Missing {
				p.problems[n.Pointer] = append(p.problems[n.Pointer], text)
			}
		}
		p.summary = append(p.summary, entry)
	}
	place := map[string]int{}
	form.Walk(p.editor.Nodes, func(n *form.Node) bool {
		place[n.Name] = len(place)
		return true
	})
	slices.SortStableFunc(p.summary, func(a, b problem) int { return place[a.Name] - place[b.Name] })
}

// summaryProblems returns the problems that the summary shows: none before a person has sent the form.
func (p *page) summaryProblems() []problem {
	if !p.submitted && !p.posted {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.summary), func(entry problem) bool { return entry.Missing && !p.submitted })
}

// pendingProblems returns all problems, for the script to show in time.
func (p *page) pendingProblems() string {
	text, err := json.Marshal(p.summary)
	if err != nil || len(p.summary) == 0 {
		return "[]"
	}
	return string(text)
}

// findControl returns the control at a pointer, or the closest control around it, and the label of the value.
func (p *page) findControl(pointer string) (*form.Node, string) {
	if n := p.editor.Find(pointer); n != nil {
		return n, n.Label
	}
	label := form.LabelOf(pointer)
	for at := pointer; at != ""; {
		at = at[:strings.LastIndexByte(at, '/')]
		if n := p.editor.Find(at); n != nil {
			return n, label
		}
	}
	return nil, label
}

// labelAt returns the label of the value at a pointer. It names the entries of arrays on the way.
func (p *page) labelAt(ctx context.Context, pointer string) string {
	path, _ := jsontext.SplitPointer(pointer)
	_, label := p.findControl("")
	outer, entry := "", 0
	for i, token := range path {
		at := jsontext.JoinPointer(path[:i+1]...)
		around := p.editor.Find(jsontext.JoinPointer(path[:i]...))
		if around != nil && around.Kind == form.KindMap {
			label = ui.T(ctx, "“%s” in %s", token, label)
			continue
		}
		index, isIndex := jsontext.Index(token)
		if isIndex && (around == nil && i > 0 || around != nil && around.Kind != form.KindObject) {
			outer, entry = label, index+1
			label = ui.T(ctx, "Entry %d of %s", entry, outer)
			continue
		}
		label = form.LabelOf(at)
		if n := p.editor.Find(at); n != nil {
			label = n.Label
		}
		if entry > 0 {
			label = ui.T(ctx, "%s in entry %d of %s", label, entry, outer)
		}
	}
	return label
}

// direction returns "rtl" if most labels begin with a letter of a script that is written from right to left, else "".
func (p *page) direction() string {
	balance := 0
	form.Walk(p.editor.Nodes, func(n *form.Node) bool {
		balance += leaning(n.Label)
		return true
	})
	if balance < 0 {
		return "rtl"
	}
	return ""
}

// leaning returns 1 for a text that begins with a letter written from left to right, -1 for one from right to left, and 0
// for a text without letters.
func leaning(text string) int {
	for at := 0; at < len(text); {
		properties, size := bidi.LookupString(text[at:])
		switch properties.Class() { //nolint:exhaustive // all others have no direction
		case bidi.L:
			return 1
		case bidi.R, bidi.AL:
			return -1
		}
		at += max(size, 1)
	}
	return 0
}

// nodeID returns the id of the element of a node: its name without characters that ids cannot contain.
func nodeID(n *form.Node) string { return idOf(n.Name) }

func idOf(name string) string {
	var out strings.Builder
	out.WriteByte('f')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '/':
			out.WriteByte('-')
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "_%02x", c)
		}
	}
	return out.String()
}

// inputText returns the text in a control.
func (p *page) inputText(n *form.Node) string {
	if typed, ok := p.inputs[n.Name]; ok {
		return typed
	}
	return n.Text(p.locale)
}

// descriptionIDs returns the ids of the elements that describe a control.
func (p *page) descriptionIDs(n *form.Node) string {
	var ids []string
	if hasHelp(n) {
		ids = append(ids, nodeID(n)+"-help")
	}
	if p.marks[n.Pointer] != "" || p.isSuggested(n) {
		ids = append(ids, nodeID(n)+"-mark")
	}
	if len(p.problems[n.Pointer]) > 0 {
		ids = append(ids, nodeID(n)+"-error")
	}
	return strings.Join(ids, " ")
}

// hasProblem reports whether there is something wrong with a value.
func (p *page) hasProblem(n *form.Node) bool { return len(p.problems[n.Pointer]) > 0 }

// inputClass returns the classes of an input.
func (p *page) inputClass(n *form.Node, base string) string {
	if width := widthClass(n); width != "" {
		base += " " + width
	}
	if p.hasProblem(n) {
		return base + " is-invalid"
	}
	return base
}

// nodeRows returns the rows of an array and those to be filled in.
func (p *page) nodeRows(n *form.Node) []form.Row {
	rows := n.Rows
	for _, key := range p.blank[n.Name] {
		rows = append(rows[:len(rows):len(rows)], n.NewRow(key))
	}
	return rows
}

// rowTemplate returns a row for the script to copy. Rows within have templates of their
// own, so that the key says how deep it is.
func rowTemplate(n *form.Node) form.Row {
	return n.NewRow(fmt.Sprintf("{%d}", strings.Count(n.Name, "{")))
}

// optionTitle returns the title of an option.
func optionTitle(ctx context.Context, o form.Option) string {
	switch {
	case o.Title != "":
		return o.Title
	case o.Value == "true":
		return ui.T(ctx, "Yes")
	case o.Value == "false":
		return ui.T(ctx, "No")
	}
	return o.Value
}

func rowLabel(ctx context.Context, n *form.Node, number int) string {
	if number == 0 {
		return ui.T(ctx, "%s, new", n.Label)
	}
	return ui.T(ctx, "%s %d", n.Label, number)
}

func (p *page) sortedConflicts() []form.Conflict {
	return slices.SortedFunc(maps.Values(p.conflicts), func(a, b form.Conflict) int {
		return strings.Compare(a.Pointer, b.Pointer)
	})
}

// partID returns the id of a page of tabs.
func (p *page) partID(n *form.Node, i int) string {
	if p.parts == nil {
		p.parts = map[*form.Node]int{}
	}
	number, ok := p.parts[n]
	if !ok {
		number = len(p.parts)
		p.parts[n] = number
	}
	return fmt.Sprintf("form-part-%d-%d", number, i)
}
