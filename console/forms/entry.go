package forms

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// entry is one post of a form and what becomes of it.
type entry struct {
	store Store
	// saver or draft is what store is beyond that, the other nil.
	saver  Saver
	draft  Draft
	script bool
	doc    *Document
	post   *post
	// origin is what a draft began from, once the id of its page.
	origin json.RawMessage
	once   uuid.UUID
	// before is the sheet that the page was made from.
	before *form.Sheet
	typed  form.Typed
	change *form.Change
	// pending are conflicts that have not been decided, with what was entered.
	pending   map[string]string
	conflicts map[string]form.Conflict
	shown     json.RawMessage
	unfound   map[string]string
	// together is whether others have changed the value meanwhile.
	together bool
}

// receive stores a file for a control that takes files.
func (e *entry) receive(ctx context.Context, name string, file File) (string, error) {
	sheet, err := sheetOf(ctx, e.doc, e.doc.Value)
	if err != nil {
		return "", err
	}
	n := sheet.Control(name)
	if n == nil || n.Kind != form.KindFile && n.Kind != form.KindFiles || n.Locked() {
		return "", domain.Invalid(domain.LocationBody, "", "there is no place for a file there")
	}
	return e.store.Upload(ctx, n, file)
}

// read makes of a post what was entered. It reports whether the base is needed for that
// and was not sent.
func (e *entry) read(ctx context.Context) (needsBase bool, err error) {
	base := e.doc.Value
	if e.draft != nil || e.post.values.Get(inputVersion) != e.doc.Version || len(e.post.conflicts()) > 0 {
		if base = e.post.json(inputBase); base == nil && e.script {
			return true, nil
		} else if base == nil {
			return false, unreadable()
		}
	}
	if e.draft != nil {
		e.origin = e.post.json(inputOrigin)
		if e.once, err = uuid.Parse(e.post.values.Get(inputOnce)); err != nil || e.origin == nil {
			return false, unreadable()
		}
	}
	if e.before, err = sheetOf(ctx, e.doc, base); err != nil {
		return false, err
	}
	_, point := separators(ctx)
	e.typed = e.post.typed(point == ",", func(array string) []string {
		var keys []string
		if n := e.before.Find(array); n != nil {
			for _, row := range n.Rows {
				keys = append(keys, row.Key)
			}
		}
		return keys
	})
	if err := e.refer(ctx); err != nil {
		return false, err
	}
	if e.change, err = e.before.Changes(e.typed); err != nil {
		return false, domain.Invalid(domain.LocationBody, "", err.Error())
	}
	return false, nil
}

// refer finds what the texts of controls that refer to something mean.
func (e *entry) refer(ctx context.Context) error {
	e.unfound = map[string]string{}
	chosen, item := e.post.chosen()
	if n := e.before.Control(chosen); item != "" && n != nil && n.Kind == form.KindDataSource && !n.Locked() {
		e.typed.Texts[chosen], e.typed.References[chosen] = []string{form.ReadableJSON(string(jsonString(item)))}, item
	}
	looked, fresh := 0, 0
	for _, name := range slices.Sorted(maps.Keys(e.typed.Texts)) {
		texts := e.typed.Texts[name]
		n := e.before.Find(name)
		if n == nil && fresh < maxFresh {
			n = e.before.Control(name)
			fresh++
		}
		if n == nil || !n.Kind.Refers() || len(texts) == 0 || n.Locked() || e.typed.References[name] != "" {
			continue
		}
		text := strings.TrimSpace(texts[len(texts)-1])
		reference := e.post.values.Get(prefixReference + name)
		switch {
		case text == "":
		case reference != "" && strings.TrimSpace(form.ReadableJSON(string(jsonString(reference)))) == text:
			e.typed.References[name] = reference
		case text == n.Text(e.typed.Manner):
		default:
			found, err := e.named(ctx, n, text, &looked)
			if err != nil {
				return err
			}
			if found != nil {
				e.typed.References[name] = found.Reference
				continue
			}
			delete(e.typed.Texts, name)
			e.unfound[name] = text
		}
	}
	return nil
}

// named returns what a control may refer to by the name, nil for none. Items of data sources are chosen, and no more than
// maxFound names are looked for.
func (e *entry) named(ctx context.Context, n *form.Node, name string, looked *int) (*Found, error) {
	if n.Kind == form.KindDataSource {
		return nil, nil
	}
	if *looked++; *looked > maxFound {
		return nil, nil
	}
	found, err := e.store.Find(ctx, n, name)
	return exact(found, name), err
}

// exact returns the one thing with a name, or the only one that was found.
func exact(found []Found, name string) *Found {
	var only *Found
	for i := range found {
		if strings.EqualFold(found[i].Name, name) {
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

// keep saves what was entered, or holds it for the page where it is a draft.
func (e *entry) keep(ctx context.Context) error {
	basis := e.before.Value()
	if e.draft != nil {
		basis = e.origin
	}
	basis, mine, err := e.decide(basis)
	switch {
	case err != nil:
		return err
	case e.draft != nil:
		return e.hold(ctx, basis, mine)
	}
	return e.save(ctx, basis, mine)
}

// decide returns what was entered and what it was made from, with what was decided
// about conflicts that the page showed. What contradicts is kept in the page, for people
// to choose.
func (e *entry) decide(basis json.RawMessage) (from, mine json.RawMessage, err error) {
	mine = e.change.Value()
	e.together = e.post.values.Get(inputVersion) != e.doc.Version
	e.pending = map[string]string{}
	for pointer, theirs := range e.post.conflicts() {
		e.together = true
		if basis, err = form.With(basis, pointer, theirs); err != nil {
			return nil, nil, unreadable()
		}
		if e.post.do == doMine && e.post.on == pointer {
			continue
		}
		if e.post.do != doTheirs || e.post.on != pointer {
			entered, _ := jsondoc.Lookup(mine, pointer)
			e.pending[pointer] = string(entered)
		}
		if mine, err = form.With(mine, pointer, theirs); err != nil {
			return nil, nil, unreadable()
		}
	}
	return basis, mine, nil
}

// save brings what was entered together with what others have changed, and keeps it.
func (e *entry) save(ctx context.Context, basis, mine json.RawMessage) error {
	for range attempts {
		merged, err := form.Merge(basis, e.doc.Value, mine)
		if err != nil {
			return err
		}
		patch := merged.Patch
		if !e.together {
			patch = e.change.Patch
		}
		if len(patch) > 0 {
			saved, err := e.saver.Save(ctx, e.doc.Version, patch)
			if changed(err) {
				e.together = true
				if e.doc, err = e.store.Load(ctx); err != nil {
					return err
				}
				continue
			} else if err != nil {
				return err
			}
			e.doc = saved
		}
		return e.conclude(merged.Conflicts)
	}
	return tooBusy()
}

// changed reports whether an error says that another version is there.
func changed(err error) bool {
	known, ok := errors.AsType[*domain.Error](err)
	return ok && known.Kind == domain.KindPrecondition
}

func tooBusy() error {
	return domain.Conflict(domain.CodeInvalidState, "the form is being changed by others; try again in a moment")
}

// conclude notes the conflicts and the value to show.
func (e *entry) conclude(conflicts []form.Conflict) error {
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
	e.shown = e.doc.Value
	for pointer, conflict := range e.conflicts {
		var err error
		if e.shown, err = form.With(e.shown, pointer, conflict.Mine); err != nil {
			return err
		}
	}
	return nil
}
