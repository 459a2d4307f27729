package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// Member is a member of an object as it is shown. Files are the files that it refers to,
// empty for one that is something else.
type Member struct {
	Name, Text string
	// Lang is the language of Name, "" for the language of the page.
	Lang  string
	Files []ReferredFile
	// Within are the members of an object, Rows the ones of each object of a list.
	Within []Member
	Rows   [][]Member
}

// ReferredFile is a file that a value refers to.
type ReferredFile struct {
	kuflowref.File

	Reference string
}

// filesOf returns the files of a value that is a reference to a file or a list of such references.
func filesOf(value json.RawMessage) []ReferredFile {
	var one string
	texts := []string{}
	if json.Unmarshal(value, &one) == nil {
		texts = append(texts, one)
	} else if json.Unmarshal(value, &texts) != nil {
		return nil
	}
	var files []ReferredFile
	for _, text := range texts {
		file, ok := kuflowref.ParseFile(text)
		if !ok {
			return nil
		}
		files = append(files, ReferredFile{File: file, Reference: text})
	}
	return files
}

// eachMember calls visit with the members of an object in their order, until it returns
// false. It reports whether the text is an object and all of it was visited.
func eachMember(object json.RawMessage, visit func(name string, value json.RawMessage) bool) bool {
	r := jsontext.NewLooseReader(object)
	if r.Kind() != '{' {
		return false
	}
	for name := range r.Members() {
		if value := r.Raw(); r.Err() != nil || !visit(jsontext.Unquote(name), value) {
			return false
		}
	}
	return r.End() == nil
}

// ValueText returns a value without a schema for people to read: strings without quotes, references by name, dates and numbers in
// the notation and the zone of the viewer, a line for each entry of a list, and objects as JSON.
func ValueText(ctx context.Context, value json.RawMessage) string {
	r := jsontext.NewLooseReader(value)
	switch r.Kind() {
	case '"':
		text := form.ReadableJSON(string(value))
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return StoredDate(ctx, day)
		}
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return StoredTime(ctx, at)
		}
		return text
	case '[':
		var lines []string
		for range r.Elements() {
			lines = append(lines, ValueText(ctx, r.Raw()))
		}
		if len(lines) > 0 && r.End() == nil {
			return strings.Join(lines, "\n")
		}
	case 't':
		return T(ctx, "Yes")
	case 'f':
		return T(ctx, "No")
	case '{', 'n':
	default:
		return Number(ctx, string(bytes.TrimSpace(value)))
	}
	return Indented(value)
}

// Members returns the members of an object that include accepts by pointer, in their order, or nil for another
// value.
func Members(ctx context.Context, value json.RawMessage, include func(pointer string) bool) []Member {
	members := []Member{}
	isObject := eachMember(value, func(name string, content json.RawMessage) bool {
		if !include(jsontext.JoinPointer(name)) {
			return true
		}
		members = append(members, Member{Name: Label(name), Text: ValueText(ctx, content), Files: filesOf(content)})
		return true
	})
	if !isObject {
		return nil
	}
	return members
}

func matchAll(string) bool { return true }

// describeMembers returns the members of an object with the titles of its schema in the language of the viewer, or nil for another
// value and one that is too large.
func describeMembers(ctx context.Context, value json.RawMessage, of form.Input) []Member {
	if len(of.Schema) == 0 || !eachMember(value, func(string, json.RawMessage) bool { return true }) {
		return nil
	}
	viewer := ViewerOf(ctx)
	of.Value = value
	of.Reader = form.Reader{Language: viewer.Locale, Zone: viewer.Zone, Yes: T(ctx, "Yes"), No: T(ctx, "No")}
	model, err := form.NewModel(ctx, of, form.EditorLimits())
	if err != nil {
		return nil
	}
	return membersOf(value, append(model.Fields, model.Other...))
}

// membersOf returns fields of a value, without notes and absent values.
func membersOf(value json.RawMessage, fields []form.Field) []Member {
	members := []Member{}
	for i := range fields {
		f := &fields[i]
		m := Member{Name: f.Label, Lang: f.Lang}
		switch content := f.Content.(type) {
		case form.Text:
			if m.Text = string(content); m.Text == "" {
				continue
			}
		case form.Files:
			stored, _ := jsondoc.Lookup(value, f.Pointer)
			m.Files = filesOf(stored)
			for i := range content {
				m.Text += content[i].Describe() + "\n"
			}
		case form.Group:
			if m.Within = membersOf(value, content); len(m.Within) == 0 {
				continue
			}
		case form.Records:
			for _, row := range content {
				m.Rows = append(m.Rows, membersOf(value, row))
			}
		default:
			continue
		}
		members = append(members, m)
	}
	return members
}

// Indented returns JSON with a line for each member.
func Indented(value json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, value, "", "  ") != nil {
		return string(value)
	}
	return out.String()
}

// MemberText returns a member of an object as text, "" where there is none.
func MemberText(object json.RawMessage, name string) (text string) {
	eachMember(object, func(member string, content json.RawMessage) bool {
		if member == name {
			text = string(content)
			// Strings are shown without quotes, other values as JSON.
			_ = json.Unmarshal(content, &text)
		}
		return true
	})
	return text
}
