package artifacts

import (
	"context"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/actions"
	"github.com/procession-dev/procession/console/history"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/domain/translation"
)

func artifactTabs() []ui.Tab {
	return []ui.Tab{
		{Icon: "info-circle", Text: ui.Text("Data")},
		{Path: "documents", Icon: "file", Text: ui.Text("Documents")},
		{Path: "timeline", Icon: "history", Text: ui.Text("Timeline")},
		{Path: "runs", Icon: "bolt", Text: ui.Text("Runs of actions")},
	}
}

// artifactView is an artifact, and which tab of it.
type artifactView struct {
	*app.ArtifactView

	Tab string
	// Problem is the reason why the last action was refused, "" if none was.
	Problem string
}

func pathOf(id uuid.UUID, tab string) string {
	path := web.Root + "artifacts/" + id.String()
	if tab != "" {
		path += "/" + tab
	}
	return path
}

func (s *artifactView) tabPath(tab string) string { return pathOf(s.ID, tab) }

// displayName returns the first indexed member of the artifact or, without one, the name of its type.
func (s *artifactView) displayName(ctx context.Context) string {
	choice := domain.ArtifactChoice{Name: s.Definition.Name}
	for _, index := range s.Definition.Spec.IndexedMembers() {
		choice.Indexes = append(choice.Indexes, domain.NamedMember{IndexedMember: index})
	}
	of := domain.BoardArtifact{BusinessArtifact: s.BusinessArtifact, Indexed: map[string]string{}}
	if s.Data != nil && len(choice.Indexes) > 0 {
		of.Indexed[choice.Indexes[0].Field] = ui.MemberText(s.Data.Value, choice.Indexes[0].Field)
	}
	return choice.Title(&of, ui.ReaderOf(ctx))
}

// canEdit reports whether the user may change the data.
func (s *artifactView) canEdit() bool { return s.Rights.Edits && !s.Deleted() }

// tabContent renders the content of a tab. It may change of.
type tabContent func(of *artifactView) (templ.Component, error)

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

// showTab shows a tab of an artifact. rejection explains a failed action, nil for none.
func (s *Screens) showTab(v *web.Visit, id uuid.UUID, tab string, rejection *domain.Error, content tabContent) (*web.Answer, error) {
	found, err := s.App.RetrieveArtifactView(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	of := &artifactView{ArtifactView: found, Tab: tab}
	body, err := content(of)
	if err != nil {
		return nil, err
	}
	answer := &web.Answer{Title: of.displayName(v.Context()), Area: "artifacts", Body: artifactPage(of, body)}
	if rejection != nil {
		of.Problem = ui.Reason(v.Context(), rejection)
	}
	return answer.Refused(rejection), nil
}

// Show shows the data of an artifact.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("", func(of *artifactView) (templ.Component, error) {
		form, err := s.Forms().View(v.Context(), s.dataForm(v.Call, of.ID, of.ArtifactView))
		return data(of, form), err
	})(v)
}

// pagePath returns the URL of a page of the tab, which counts from 1.
func (s *artifactView) pagePath(page int) string {
	return s.tabPath(s.Tab) + "?page=" + strconv.Itoa(page)
}

// Documents shows the documents of an artifact.
func (s *Screens) Documents(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("documents", func(of *artifactView) (templ.Component, error) {
		found, err := s.App.FindArtifactDocuments(v.Context(), v.Call, of.ID, v.Page(pageSize))
		return documentRows(of, found), err
	})(v)
}

// Download offers a document of an artifact, or of an action on it, for saving.
func (s *Screens) Download(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.DownloadBusinessArtifactDocument(v.Context(), v.Call, id, v.URL.Query().Get("document"))
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}

// File sends a file that the data of an artifact refers to.
func (s *Screens) File(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	file, ok := kuflowref.ParseFile(v.URL.Query().Get("reference"))
	if !ok {
		return nil, domain.NotFound("document")
	}
	found, err := s.App.DownloadBusinessArtifactDocument(v.Context(), v.Call, id, file.URI)
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}

// Timeline shows the history of an artifact, newest events first.
func (s *Screens) Timeline(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("timeline", func(of *artifactView) (templ.Component, error) {
		events, err := s.App.FindArtifactEvents(v.Context(), v.Call, of.ID, history.Before(v.URL), history.Shown)
		if err != nil {
			return nil, err
		}
		return timeline(of, history.Moments(events), history.Older(of.tabPath("timeline"), events)), nil
	})(v)
}

// Runs shows the actions that were invoked on an artifact.
func (s *Screens) Runs(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("runs", func(of *artifactView) (templ.Component, error) {
		found, err := s.App.FindArtifactActions(v.Context(), v.Call, of.ID, v.Page(pageSize))
		if err != nil {
			return nil, err
		}
		rows := make([]actions.Run, 0, len(found.Items))
		for _, a := range found.Items {
			run := of.namedRun(v.Context(), &a.BusinessArtifactAction)
			run.AuthorName = a.AuthorName
			rows = append(rows, run)
		}
		return runs(of, rows, ui.PagesOf(found, of.pagePath)), nil
	})(v)
}

// showResult shows an artifact after something was done to it, with the reason where it
// was refused.
func (s *Screens) showResult(v *web.Visit, id uuid.UUID, tab string, err error) (*web.Answer, error) {
	if err == nil {
		return web.SeeOther(pathOf(id, tab)), nil
	}
	rejection := web.Refusal(err)
	if rejection == nil {
		return nil, err
	}
	return s.showTab(v, id, "runs", rejection, func(*artifactView) (templ.Component, error) { return templ.NopComponent, nil })
}

// actionNames returns the names of the actions by their codes.
func (s *artifactView) actionNames() map[string]translation.Name {
	names := map[string]translation.Name{}
	for i := range s.Definition.Spec.Actions {
		a := &s.Definition.Spec.Actions[i]
		names[a.Code] = s.Definition.Spec.ActionName(a)
	}
	return names
}

// namedRun returns an action that was invoked.
func (s *artifactView) namedRun(ctx context.Context, a *domain.BusinessArtifactAction) actions.Run {
	r := runOf(ctx, a)
	if r.Name = ui.NameOf(ctx, s.actionNames()[a.Definition.Code]); r.Name == "" {
		r.Name = ui.Label(a.Definition.Code)
	}
	return r
}
