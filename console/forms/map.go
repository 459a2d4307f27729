package forms

import (
	"context"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// rowName returns the name of a row: of the array or map with the key.
func rowName(n *form.Node, row form.Row) string { return n.Name + "/" + row.Key }

// memberID returns the id of the input for the name of a member.
func memberID(n *form.Node, row form.Row) string { return idOf(rowName(n, row)) + "-name" }

// rowsID returns the id of the rows of a node. An object with named members has the id of the node itself.
func rowsID(n *form.Node) string {
	if n.Mixed {
		return nodeID(n) + "-map"
	}
	return nodeID(n)
}

// memberName returns the name of a member as typed, or as stored.
func (p *page) memberName(n *form.Node, row form.Row) string {
	if typed, ok := p.memberNames[rowName(n, row)]; ok {
		return typed
	}
	return row.Member
}

// keepMembers keeps the names of members that could not be stored, and the texts of rows that have no name yet.
func (e *entry) keepMembers(ctx context.Context, p *page) {
	p.memberNames, p.memberProblems = map[string]string{}, map[string]string{}
	for array, keys := range e.change.Blank {
		for _, key := range keys {
			name := array + "/" + key
			typed, isMap := e.submission.Members[name]
			if !isMap {
				continue
			}
			p.memberNames[name] = typed
			for control, texts := range e.submission.Texts {
				if (control == name || strings.HasPrefix(control, name+"/")) && len(texts) > 0 {
					p.inputs[control] = texts[len(texts)-1]
				}
			}
		}
	}
	for row, typed := range e.change.Refused {
		row = e.change.NewName(row)
		said := ui.T(ctx, "“%s” cannot be the name of this entry: it is in use or not allowed.", typed)
		p.memberNames[row], p.memberProblems[row] = typed, said
		p.summary = append(p.summary, problem{ID: idOf(row) + "-name", Name: row, Text: said, Unsaved: true})
	}
}

// widenMatrix adds a column to a matrix.
func (e *entry) widenMatrix() {
	key := jsondoc.ChoiceKey{Pointer: e.post.on, Schema: form.ColumnsKey}
	e.picked[key]++
}
