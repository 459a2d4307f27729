package processes

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

func (s *processView) visibleTabs() []ui.Tab {
	tabs := []ui.Tab{
		{Icon: "info-circle", Text: ui.Text("Overview")},
		{Path: "items", Icon: "checklist", Text: ui.Text("Items")},
		{Path: "timeline", Icon: "history", Text: ui.Text("Timeline")},
		{Path: "messages", Icon: "messages", Text: ui.Text("Messages")},
		{Path: "documents", Icon: "file", Text: ui.Text("Documents")},
		{Path: "related", Icon: "link", Text: ui.Text("Related"), Count: len(s.Related)},
		{Path: "runs", Icon: "bolt", Text: ui.Text("Runs of actions")},
	}
	if s.MayManage && s.hasWorkflows() {
		tabs = append(tabs, ui.Tab{Path: "engine", Icon: "route", Text: ui.Text("Engine")})
	}
	if s.MayRepair {
		tabs = append(tabs, ui.Tab{Path: "repair", Icon: "settings", Text: ui.Text("Repair")})
	}
	return tabs
}

// hasWorkflows reports whether the process, its tasks or its actions may have workflows.
func (s *processView) hasWorkflows() bool {
	return s.Definition.Engine != nil ||
		slices.ContainsFunc(s.Definition.Items, func(i domain.ItemDefinition) bool { return i.Spec.Robot != nil }) ||
		slices.ContainsFunc(s.Definition.Spec.UserActions, func(a domain.UserAction) bool { return a.WorkflowType != "" })
}

// processView is a process, and which tab of it.
type processView struct {
	*app.ProcessView

	Tab string
	// User is the viewer.
	User uuid.UUID
	// Printable reports whether the process is available as a PDF.
	Printable bool
	// Live is the URL that the tab is reloaded from after events, "" for a static tab.
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

func (s *processView) tabPath(tab string) string { return pathOf(s.Whole.ID, tab) }

// followChanges makes a tab without inputs reload after events.
func (s *processView) followChanges(v *web.Visit) {
	if !s.Whole.Finished() {
		s.Live = v.URL.RequestURI()
	}
}

// canWrite reports whether the values of the process can be edited: managers may for as long as it runs.
func (s *processView) canWrite() bool { return s.MayManage && !s.Whole.Finished() }

// tabContent renders the content of a tab. It may change of.
type tabContent func(of *processView) (templ.Component, error)

// tabHandler returns the handler of a tab.
func (s *Screens) tabHandler(tab string, content tabContent) web.Handler {
	return func(v *web.Visit) (*web.Answer, error) {
		id, err := v.ID()
		if err != nil {
			return nil, err
		}
		return s.showTab(v, id, tab, nil, content)
	}
}

// showTab shows a tab of a process. rejection explains a failed action, nil for none.
func (s *Screens) showTab(v *web.Visit, id uuid.UUID, tab string, rejection *domain.Error, content tabContent) (*web.Answer, error) {
	found, err := s.App.RetrieveProcessView(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	of := &processView{ProcessView: found, Tab: tab, User: v.Call.PrincipalID, Printable: s.App.PrintsForms()}
	body, err := content(of)
	if err != nil {
		return nil, err
	}
	answer := &web.Answer{Title: found.Whole.Subject, Area: "processes", Body: processPage(of, body)}
	if rejection != nil {
		of.Problem = ui.Reason(v.Context(), rejection)
	}
	return answer.Refused(rejection), nil
}

// Overview shows the main facts about a process.
func (s *Screens) Overview(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("", func(of *processView) (templ.Component, error) {
		of.followChanges(v)
		return overview(of), nil
	})(v)
}

// Related shows the processes that started a process, and the processes started by it.
func (s *Screens) Related(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("related", func(of *processView) (templ.Component, error) {
		of.followChanges(v)
		return related(of), nil
	})(v)
}

// pagePath returns the URL of a page of the tab, which counts from 1.
func (s *processView) pagePath(page int) string {
	return s.tabPath(s.Tab) + "?page=" + strconv.Itoa(page)
}

// Items shows the items of a process.
func (s *Screens) Items(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("items", func(of *processView) (templ.Component, error) {
		of.followChanges(v)
		found, err := s.App.FindProcessParts(v.Context(), v.Call, of.Whole.ID, nil, v.Page(pageSize),
			[]domain.SortKey{{Property: "createdAt", Descending: true}})
		return items(of, found), err
	})(v)
}

// Documents shows the documents of a process.
func (s *Screens) Documents(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("documents", func(of *processView) (templ.Component, error) {
		of.followChanges(v)
		found, err := s.App.FindProcessDocuments(v.Context(), v.Call, of.Whole.ID, v.Page(pageSize), nil)
		return documentRows(of, found), err
	})(v)
}

// Download offers a document of a process, or of an action on it, for saving.
func (s *Screens) Download(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.DownloadProcessDocument(v.Context(), v.Call, id, v.URL.Query().Get("document"))
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}

// Runs shows the user actions that were invoked on a process.
func (s *Screens) Runs(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("runs", func(of *processView) (templ.Component, error) {
		of.followChanges(v)
		found, err := s.App.FindProcessActions(v.Context(), v.Call, of.Whole.ID, v.Page(pageSize), nil)
		return runs(of, found), err
	})(v)
}

// endAction are the ways to end a process.
type endAction string

const (
	endComplete endAction = "complete"
	endCancel   endAction = "cancel"
)

// ConfirmEnd asks for confirmation to complete or cancel a process.
func (s *Screens) ConfirmEnd(v *web.Visit) (*web.Answer, error) {
	how := endAction(v.Param("how"))
	if how != endComplete && how != endCancel {
		return nil, domain.NotFound("page")
	}
	return s.tabHandler("", func(of *processView) (templ.Component, error) {
		if !of.MayManage {
			return nil, domain.Denied("only managers of the process may complete or cancel it")
		}
		return endForm(of, how), nil
	})(v)
}

// End completes or cancels a process.
func (s *Screens) End(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	switch endAction(v.Param("how")) {
	case endComplete:
		_, err = s.App.CompleteProcess(v.Context(), v.Call, id)
	case endCancel:
		_, err = s.App.CancelProcess(v.Context(), v.Call, id)
	default:
		err = domain.NotFound("page")
	}
	return s.showResult(v, id, "", err)
}

// showResult shows a process after something was done to it, with the reason where it
// was refused.
func (s *Screens) showResult(v *web.Visit, id uuid.UUID, tab string, err error) (*web.Answer, error) {
	if err == nil {
		return web.SeeOther(pathOf(id, tab)), nil
	}
	rejection := web.Refusal(err)
	if rejection == nil {
		return nil, err
	}
	return s.showTab(v, id, "", rejection, func(of *processView) (templ.Component, error) { return overview(of), nil })
}
