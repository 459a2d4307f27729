package processes

import (
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/conversation"
	"github.com/procession-dev/procession/console/history"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const (
	// openTasksShown, besideEvents and besideDocuments bound the lists next to a task.
	openTasksShown  = 20
	besideEvents    = 30
	besideDocuments = 20
)

// The parts of a process that the page of a task can show.
const (
	besideForm     = ""
	besideProcess  = "process"
	besideMessages = "messages"
	besideTimeline = "timeline"
	besideFiles    = "documents"
)

// Beside is a part of a process on the page of one of its tasks, next to the form.
type Beside struct {
	Process, Task uuid.UUID
	// Part is the shown part, "" for none: wide pages then show the process.
	Part string
	// Page is the path of the page of the task.
	Page string
}

// BesideOf returns the part that the query of the page of a task asks for. page is the path of the page.
func BesideOf(process, task uuid.UUID, page string, query url.Values) *Beside {
	b := &Beside{Process: process, Task: task, Page: page, Part: query.Get("part")}
	if !slices.ContainsFunc(besideTabs(), func(t ui.Tab) bool { return t.Path == b.Part }) {
		b.Part = besideForm
	}
	return b
}

func besideTabs() []ui.Tab {
	return []ui.Tab{
		{Path: besideForm, Icon: "checklist", Text: ui.Text("Form")},
		{Path: besideProcess, Icon: "route", Text: ui.Text("Process")},
		{Path: besideMessages, Icon: "messages", Text: ui.Text("Messages")},
		{Path: besideTimeline, Icon: "history", Text: ui.Text("Timeline")},
		{Path: besideFiles, Icon: "file", Text: ui.Text("Documents")},
	}
}

// shownPart returns the part of wide pages.
func (b *Beside) shownPart() string {
	if b.Part == besideForm {
		return besideProcess
	}
	return b.Part
}

// pagePath returns the URL of the page of the task with a part.
func (b *Beside) pagePath(part string) string {
	u, err := url.Parse(b.Page)
	if err != nil {
		return web.Root
	}
	query := u.Query()
	if query.Del("part"); part != besideForm {
		query.Set("part", part)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// partPath returns the URL of a part without the page around it.
func (b *Beside) partPath(part string) string {
	return pathOf(b.Process, "beside") + "?" + b.partQuery(part)
}

func (b *Beside) partQuery(part string) string {
	query := url.Values{"task": {b.Task.String()}, "return": {b.pagePath(besideForm)}}
	if part != besideForm {
		query.Set("part", part)
	}
	return query.Encode()
}

// ShowPart serves a part of a process for the page of a task.
func (s *Screens) ShowPart(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	b := besideOfQuery(id, v.URL.Query())
	content, err := s.BesideContent(v, b)
	return &web.Answer{Raw: true, Body: besideFragment(b, content)}, err
}

func besideOfQuery(process uuid.UUID, query url.Values) *Beside {
	task, _ := uuid.Parse(query.Get("task"))
	return BesideOf(process, task, web.LocalPath(query.Get("return")), query)
}

// BesideContent returns the content of the shown part. It costs one read, and the messages some more.
func (s *Screens) BesideContent(v *web.Visit, b *Beside) (templ.Component, error) {
	if b.shownPart() == besideMessages {
		pane, err := s.besidePane(v, b)
		if err != nil {
			return nil, err
		}
		return conversation.View(pane), nil
	}
	var open domain.Page[domain.ProcessPart]
	var events []domain.TimelineEvent
	var documents domain.Page[domain.NamedDocument]
	var addition app.ProcessAddition
	switch b.shownPart() {
	case besideTimeline:
		addition = s.App.AddEvents(app.EventRange{NewestFirst: true, Limit: besideEvents}, &events)
	case besideFiles:
		addition = s.App.AddDocuments(domain.PageRequest{Size: besideDocuments}, &documents)
	default:
		addition = s.App.AddParts(app.PartFilter{Types: []domain.ItemType{domain.ItemTask}, Open: true, Except: &b.Task},
			domain.PageRequest{Size: openTasksShown}, nil, &open)
	}
	found, err := s.App.RetrieveProcessView(v.Context(), v.Call, b.Process, addition)
	if err != nil {
		return nil, err
	}
	of := &processView{ProcessView: found, User: v.Call.PrincipalID}
	switch b.shownPart() {
	case besideTimeline:
		return besideEventList(of, history.Moments(events), len(events) == besideEvents), nil
	case besideFiles:
		return besideDocumentList(of, documents), nil
	}
	return besideOverview(of, open), nil
}
