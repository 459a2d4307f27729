package forms

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/searchkey"
	"github.com/procession-dev/procession/form"
)

// entry processes one post of a form.
type entry struct {
	store Store
	// Exactly one of saver and draft is set.
	saver  Saver
	draft  Draft
	script bool
	doc    *Document
	post   *post
	// picked are the alternatives that are selected in the page.
	picked jsondoc.Picked
	// origin is the value that a draft began with, pageID the id of its page.
	origin json.RawMessage
	pageID uuid.UUID
	// base is the value that the input changes, and addsDefaults reports whether defaults of the schema are added to it.
	base         json.RawMessage
	addsDefaults bool
	// editor is the form of the page.
	editor     *form.Editor
	submission form.Submission
	change     *form.Change
	// next is the form of the changed value, nil until it is needed; nextOf is its document.
	next   *form.Editor
	nextOf *Document
	// pending are the entered values of undecided conflicts.
	pending    map[string]string
	conflicts  map[string]form.Conflict
	merged     json.RawMessage
	unresolved map[string]string
	// question is a switch that has to be confirmed, and removed the labels of the values that a confirmed one removes.
	question *alternation
	removed  []string
	// changedByOthers reports whether others have changed the value.
	changedByOthers bool
	// earlier are the values that earlier posts of the page stored if they arrived.
	earlier []json.RawMessage
}

// receiveFile stores a file for a control that takes files.
func (e *entry) receiveFile(ctx context.Context, name string, file File) (string, error) {
	editor, err := newEditor(ctx, e.doc, e.doc.Value, e.picked)
	if err != nil {
		return "", err
	}
	n := editor.Control(name)
	if n == nil || n.Kind != form.KindFile && n.Kind != form.KindFiles || n.IsLocked() {
		return "", domain.Invalid(domain.LocationBody, "", "there is no place for a file there")
	}
	if file, err = checkFile(ctx, n, file); err != nil {
		return "", err
	}
	return e.store.Upload(ctx, n, file)
}

// readInputs parses the post. It reports whether the post lacks the base that is needed for that.
func (e *entry) readInputs(ctx context.Context) (needsBase bool, err error) {
	base := e.doc.Value
	if e.draft != nil || e.post.values.Get(inputVersion) != e.doc.Version || len(e.post.shownConflicts()) > 0 {
		if base = e.post.jsonInput(inputBase); base == nil && e.script {
			return true, nil
		} else if base == nil {
			return false, formError()
		}
	}
	if e.draft != nil {
		e.origin = e.post.jsonInput(inputOrigin)
		if e.pageID, err = uuid.Parse(e.post.values.Get(inputOnce)); err != nil || e.origin == nil {
			return false, formError()
		}
	}
	shown, err := e.addSuggestions(ctx, base)
	if err != nil {
		return false, err
	}
	if e.editor, err = newEditor(ctx, e.doc, shown, e.picked); err != nil {
		return false, err
	}
	if e.base = e.editor.Value(); len(shown) != len(base) {
		e.base, e.addsDefaults = base, true
	}
	e.submission = e.post.parseInputs(localeOf(ctx), func(array string) []string {
		var keys []string
		if n := e.editor.Find(array); n != nil {
			for _, row := range n.Rows {
				keys = append(keys, row.Key)
			}
		}
		return keys
	})
	e.readButton()
	if err := e.resolveReferences(ctx); err != nil {
		return false, err
	}
	if e.change, err = e.editor.Changes(e.submission); err != nil {
		return false, domain.Invalid(domain.LocationBody, "", err.Error())
	}
	if err := e.readAttempts(ctx, base); err != nil {
		return false, err
	}
	if e.post.do == doSwitch || e.post.do == doUndo {
		return false, e.confirmSwitch()
	}
	return false, e.askSwitch(ctx)
}

// readAttempts reads the earlier posts of the page without a known outcome, at most maxAttempts.
func (e *entry) readAttempts(ctx context.Context, base json.RawMessage) error {
	sent := e.post.values[inputAttempt]
	for _, text := range sent[max(0, len(sent)-maxAttempts):] {
		values, err := url.ParseQuery(text)
		if err != nil {
			return formError()
		}
		editor, err := newEditor(ctx, e.doc, base, readPicked(values))
		if err != nil {
			return err
		}
		p := post{values: values}
		submission := p.parseInputs(localeOf(ctx), func(string) []string { return nil })
		for name := range submission.Texts {
			if reference := values.Get(prefixReference + name); reference != "" {
				submission.References[name] = reference
			}
		}
		change, err := editor.Changes(submission)
		if err != nil {
			return domain.Invalid(domain.LocationBody, "", err.Error())
		}
		e.earlier = append(e.earlier, change.Value())
	}
	return nil
}

// readButton adds the input of a button that confirms, clears or sets the value of a control.
func (e *entry) readButton() {
	name := e.post.on
	switch e.post.do {
	case doStray:
		e.submission.Dropped = map[string]bool{name: true}
		return
	case doRead:
		// A name may contain blanks, a reading does not.
		if at := strings.LastIndexByte(name, ' '); at >= 0 {
			e.submission.Readings = map[string]string{name[:at]: name[at+1:]}
		}
		return
	}
	n := e.editor.Control(name)
	if n == nil || n.IsLocked() {
		return
	}
	switch e.post.do {
	case doConfirm:
		e.submission.Confirmed[name] = true
		if len(e.submission.Texts[name]) == 0 {
			e.submission.Texts[name] = []string{n.Text(e.submission.Locale)}
		}
	case doClear:
		e.submission.Confirmed[name] = true
		e.submission.Texts[name] = []string{""}
		delete(e.submission.References, name)
	case doDefault:
		e.submission.Defaults[name] = true
	}
}

// changesPage reports whether the button changes the controls of the page.
func (p *post) changesPage() bool {
	return slices.Contains([]string{doOpen, doSwitch, doKeep, doColumn, doConfirm, doClear, doDefault, doStray, doUndo, doRead}, p.do)
}

// resolveReferences finds the objects that texts of reference controls name.
func (e *entry) resolveReferences(ctx context.Context) error {
	e.unresolved = map[string]string{}
	chosen, item := e.post.chosenItem()
	if n := e.editor.Control(chosen); item != "" && n != nil && n.Kind == form.KindDataSource && !n.IsLocked() {
		e.submission.Texts[chosen], e.submission.References[chosen] = []string{form.ReadableJSON(string(jsonString(item)))}, item
	}
	lookups, added := 0, 0
	for _, name := range slices.Sorted(maps.Keys(e.submission.Texts)) {
		texts := e.submission.Texts[name]
		n := e.editor.Find(name)
		if n == nil && added < maxNewReferences {
			n = e.editor.Control(name)
			added++
		}
		if n == nil || !n.Kind.IsReference() || len(texts) == 0 || n.IsLocked() || e.submission.References[name] != "" {
			continue
		}
		text := strings.TrimSpace(texts[len(texts)-1])
		reference := e.post.values.Get(prefixReference + name)
		switch {
		case text == "":
		case reference != "" && strings.TrimSpace(form.ReadableJSON(string(jsonString(reference)))) == text:
			e.submission.References[name] = reference
		case text == n.Text(e.submission.Locale):
		default:
			found, err := e.findByName(ctx, n, text, &lookups)
			if err != nil {
				return err
			}
			if found != nil {
				e.submission.References[name] = found.Reference
				continue
			}
			delete(e.submission.Texts, name)
			e.unresolved[name] = text
		}
	}
	return nil
}

// findByName returns the object with a name, nil for none. It does not search data sources, and searches at most
// maxLookups names.
func (e *entry) findByName(ctx context.Context, n *form.Node, name string, lookups *int) (*Match, error) {
	if n.Kind == form.KindDataSource {
		return nil, nil
	}
	if *lookups++; *lookups > maxLookups {
		return nil, nil
	}
	found, err := e.store.Find(ctx, n, name)
	return exactMatch(found, name), err
}

// exactMatch returns the one thing with a name, or the only one that was found.
func exactMatch(found []Match, name string) *Match {
	var only *Match
	for i := range found {
		if searchkey.Equal(found[i].Name, name) {
			if only != nil {
				return nil
			}
			only = &found[i]
		}
	}
	if only == nil && len(found) == 1 {
		return &found[0]
	}
	return only
}

func jsonString(text string) []byte {
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return encoded
}

// storeChanges saves the input, or merges it into the page of a draft.
func (e *entry) storeChanges(ctx context.Context) error {
	basis := e.base
	if e.draft != nil {
		basis = e.origin
	}
	basis, mine, err := e.applyDecisions(basis)
	if err == nil && e.isCompleting() {
		entered := len(mine)
		mine, err = addDefaults(ctx, e.doc, mine, e.movedPicks(), func(n *form.Node) bool { return n.ReadOnly })
		e.addsDefaults = e.addsDefaults || len(mine) != entered
	}
	switch {
	case err != nil:
		return err
	case e.draft != nil:
		return e.holdDraft(ctx, basis, mine)
	}
	return e.mergeAndSave(ctx, basis, mine)
}

// applyDecisions returns the base and the input after the user's decisions about conflicts. Undecided conflicts
// stay in the page.
func (e *entry) applyDecisions(basis json.RawMessage) (from, mine json.RawMessage, err error) {
	mine = e.change.Value()
	e.changedByOthers = e.post.values.Get(inputVersion) != e.doc.Version
	e.pending = map[string]string{}
	for pointer, theirs := range e.post.shownConflicts() {
		e.changedByOthers = true
		if basis, err = form.ReplaceValue(basis, pointer, theirs); err != nil {
			return nil, nil, formError()
		}
		if e.post.do == doMine && e.post.on == pointer {
			continue
		}
		if e.post.do != doTheirs || e.post.on != pointer {
			entered, _ := jsondoc.Lookup(mine, pointer)
			e.pending[pointer] = string(entered)
		}
		if mine, err = form.ReplaceValue(mine, pointer, theirs); err != nil {
			return nil, nil, formError()
		}
	}
	return basis, mine, nil
}

// mergeAndSave merges the input with concurrent changes and saves the result.
func (e *entry) mergeAndSave(ctx context.Context, basis, mine json.RawMessage) error {
	for range attempts {
		merged, err := form.Merge(basis, e.doc.Value, mine, e.earlier...)
		if err != nil {
			return err
		}
		patch := merged.Patch
		if !e.changedByOthers && !e.addsDefaults {
			patch = e.change.Patch
		}
		if len(patch) > 0 {
			saved, err := e.saver.Save(ctx, e.doc.Version, patch)
			if isOutdated(err) {
				e.changedByOthers = true
				if e.doc, err = e.store.Load(ctx); err != nil {
					return err
				}
				continue
			} else if err != nil {
				return err
			}
			e.doc = saved
		}
		return e.collectConflicts(merged.Conflicts)
	}
	return busyError()
}

// isOutdated reports whether an error says that another version is there.
func isOutdated(err error) bool {
	failure, ok := errors.AsType[*domain.Error](err)
	return ok && failure.Kind == domain.KindPrecondition
}

func busyError() error {
	return domain.Conflict(domain.CodeInvalidState, "the form is being changed by others; try again in a moment")
}

// collectConflicts notes the conflicts and the value to show.
func (e *entry) collectConflicts(conflicts []form.Conflict) error {
	e.conflicts = map[string]form.Conflict{}
	for _, conflict := range conflicts {
		e.conflicts[conflict.Pointer] = conflict
	}
	for pointer, mine := range e.pending {
		theirs, _ := jsondoc.Lookup(e.doc.Value, pointer)
		if string(theirs) != mine {
			e.conflicts[pointer] = form.Conflict{Pointer: pointer, Mine: mine, Theirs: string(theirs)}
		}
	}
	e.merged = e.doc.Value
	for pointer, conflict := range e.conflicts {
		var err error
		if e.merged, err = form.ReplaceValue(e.merged, pointer, conflict.Mine); err != nil {
			return err
		}
	}
	return nil
}
