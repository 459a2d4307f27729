package processes

import (
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

func (s *shown) tabs() []ui.Tab {
	tabs := []ui.Tab{
		{Icon: "info-circle", Text: ui.Text("Overview")},
		{Path: "items", Icon: "checklist", Text: ui.Text("Items")},
		{Path: "timeline", Icon: "history", Text: ui.Text("Timeline")},
		{Path: "messages", Icon: "messages", Text: ui.Text("Messages")},
		{Path: "documents", Icon: "file", Text: ui.Text("Documents")},
		{Path: "related", Icon: "link", Text: ui.Text("Related"), Count: len(s.Related)},
		{Path: "runs", Icon: "bolt", Text: ui.Text("Runs of actions")},
	}
	if s.MayManage {
		tabs = append(tabs, ui.Tab{Path: "engine", Icon: "route", Text: ui.Text("Engine")})
	}
	return tabs
}

// shown is a process, and which tab of it.
type shown struct {
	*app.ProcessOverview

	Tab string
	// User is the viewer.
	User uuid.UUID
	// Live is the URL from which the tab is read again when something has happened, "" for one that stays as it is.
	Live string
	// Issue is the command by which operators look into Temporal with its own tools, "" for others.
	Issue shell.Line
	// Problem is the reason why the last action was refused, "" if none was.
	Problem string
}

func pathOf(id uuid.UUID, tab string) string {
	path := web.Root + "processes/" + id.String()
	if tab != "" {
		path += "/" + tab
	}
	return path
}

func (s *shown) path(tab string) string { return pathOf(s.Whole.ID, tab) }

// follow makes a tab in which nothing is typed show what happens while it is looked at.
func (s *shown) follow(v *web.Visit) {
	if !s.Whole.Finished() {
		s.Live = v.URL.RequestURI()
	}
}

// writable reports whether messages can be written: the process offers that to managers
// for as long as it runs.
func (s *shown) writable() bool { return s.MayManage && !s.Whole.Finished() }

// sheet contains what a tab makes of a process, after which it is rendered.
type sheet func(of *shown) (templ.Component, error)

// show returns the handler of a tab.
func (s *Screens) show(tab string, content sheet) web.Handler {
	return func(v *web.Visit) (*web.Answer, error) {
		id, err := v.ID()
		if err != nil {
			return nil, err
		}
		return s.page(v, id, tab, nil, content)
	}
}

// page shows a tab of a process, with what was refused, nil for nothing.
func (s *Screens) page(v *web.Visit, id uuid.UUID, tab string, refused *domain.Error, content sheet) (*web.Answer, error) {
	found, err := s.App.RetrieveProcessOverview(v.Context(), v.Caller, id)
	if err != nil {
		return nil, err
	}
	of := &shown{ProcessOverview: found, Tab: tab, User: v.Caller.PrincipalID}
	body, err := content(of)
	if err != nil {
		return nil, err
	}
	answer := &web.Answer{Title: found.Whole.Subject, Area: "processes", Body: processPage(of, body)}
	if refused != nil {
		of.Problem = ui.Reason(v.Context(), refused)
	}
	return answer.Refused(refused), nil
}

// Overview shows what a process is about.
func (s *Screens) Overview(v *web.Visit) (*web.Answer, error) {
	return s.show("", func(of *shown) (templ.Component, error) {
		of.follow(v)
		return overview(of), nil
	})(v)
}

// Related shows the processes that a process comes from, and those that come from it.
func (s *Screens) Related(v *web.Visit) (*web.Answer, error) {
	return s.show("related", func(of *shown) (templ.Component, error) {
		of.follow(v)
		return related(of), nil
	})(v)
}

// pagePath returns the URL of a page of the tab, which counts from 1.
func (s *shown) pagePath(page int) string { return s.path(s.Tab) + "?page=" + strconv.Itoa(page) }

// Items shows the items of a process.
func (s *Screens) Items(v *web.Visit) (*web.Answer, error) {
	return s.show("items", func(of *shown) (templ.Component, error) {
		of.follow(v)
		found, err := s.App.FindProcessParts(v.Context(), v.Caller, of.Whole.ID, nil, v.Page(pageSize),
			[]domain.SortKey{{Property: "createdAt", Descending: true}})
		return items(of, found), err
	})(v)
}

// Documents shows the documents of a process.
func (s *Screens) Documents(v *web.Visit) (*web.Answer, error) {
	return s.show("documents", func(of *shown) (templ.Component, error) {
		of.follow(v)
		found, err := s.App.FindProcessDocuments(v.Context(), v.Caller, of.Whole.ID, v.Page(pageSize), nil)
		return documentRows(of, found), err
	})(v)
}

// Download offers a document of a process, or of an action on it, for saving.
func (s *Screens) Download(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.DownloadProcessDocument(v.Context(), v.Caller, id, v.URL.Query().Get("document"))
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}

// Runs shows the user actions that were invoked on a process.
func (s *Screens) Runs(v *web.Visit) (*web.Answer, error) {
	return s.show("runs", func(of *shown) (templ.Component, error) {
		of.follow(v)
		found, err := s.App.FindProcessActions(v.Context(), v.Caller, of.Whole.ID, v.Page(pageSize), nil)
		return runs(of, found), err
	})(v)
}

// finishing are the ways to end a process.
type finishing string

const (
	completing finishing = "complete"
	cancelling finishing = "cancel"
)

// Finish asks whether a process is to be completed or cancelled, and says what that does.
func (s *Screens) Finish(v *web.Visit) (*web.Answer, error) {
	how := finishing(v.Param("how"))
	if how != completing && how != cancelling {
		return nil, domain.NotFound("page")
	}
	return s.show("", func(of *shown) (templ.Component, error) {
		if !of.MayManage {
			return nil, domain.Denied("only managers of the process may complete or cancel it")
		}
		return finish(of, how), nil
	})(v)
}

// Finished completes or cancels a process.
func (s *Screens) Finished(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	switch finishing(v.Param("how")) {
	case completing:
		_, err = s.App.CompleteProcess(v.Context(), v.Caller, id)
	case cancelling:
		_, err = s.App.CancelProcess(v.Context(), v.Caller, id)
	default:
		err = domain.NotFound("page")
	}
	return s.shownAfter(v, id, "", err)
}

// shownAfter shows a process after something was done to it, with the reason where it
// was refused.
func (s *Screens) shownAfter(v *web.Visit, id uuid.UUID, tab string, err error) (*web.Answer, error) {
	if err == nil {
		return web.SeeOther(pathOf(id, tab)), nil
	}
	refused := web.Refusal(err)
	if refused == nil {
		return nil, err
	}
	return s.page(v, id, "", refused, func(of *shown) (templ.Component, error) { return overview(of), nil })
}
