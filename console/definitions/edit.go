package definitions

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

// fileName is the name of the edited text. No message shows it.
const fileName = "manifest.yaml"

// editorForm contains the text in the editor and the results of checking it.
type editorForm struct {
	Text string
	// ID and Version identify the edited resource, "" for a new one.
	ID, Version string
	// Base is the manifest when the editor opened it, "" for a new resource.
	Base string
	// Of is the resource that the text is from, nil for a new one.
	Of *resource.Key
	// Restored is the number of the version that the text is from, 0 for the manifest.
	Restored int
	// Form is which of the forms is shown.
	Form string

	// Reason is the reason of the change.
	Reason   string
	Problems []problem
	// Conflict contains the changes since the editor opened, nil for none.
	Conflict *conflict
	// Warnings are probable mistakes in a text that can be applied.
	Warnings []problem
	Plan     []plannedChange
	// Sent reports whether the text was sent by the editor, so that it is stored nowhere.
	Sent bool
	// Checked reports whether Problems and Plan are about the text.
	Checked bool
	Forms   []string
	// Languages are the languages of the texts of the forms, Language is the one of the preview, "" for the viewer's.
	Languages []string
	Language  string
	Preview   templ.Component
	// PreviewFault is the reason why there is no preview, "" for no reason.
	PreviewFault string
}

// problem is the reason why the text cannot be applied. Line and Column count from 1, and are 0
// where there is no place for it.
type problem struct {
	Line, Column  int
	Path, Message string
}

// plannedChange is the change that applying the text makes to a resource.
type plannedChange struct {
	Key    resource.Key
	Action administration.ApplyAction
	Parts  []resources.Part
}

// Edit shows the editor with a manifest, or with an old version of it.
func (s *Screens) Edit(v *web.Visit) (*web.Answer, error) {
	of, err := s.findResource(v)
	if err != nil {
		return nil, err
	}
	key := of.Key()
	e := &editorForm{Text: of.Text, Base: of.Text, ID: of.ID.String(), Version: string(of.Version()), Of: &key, Form: v.URL.Query().Get("form")}
	if number, err := strconv.Atoi(v.URL.Query().Get("version")); err == nil {
		version, err := s.Administration.RetrieveDefinitionVersion(v.Context(), v.Call, key, number)
		if err != nil {
			return nil, err
		}
		if e.Text, err = resources.Text(version.Document); err != nil {
			return nil, err
		}
		e.Restored = number
	}
	return s.showEditor(v, e, http.StatusOK)
}

// New shows the editor with a template, or the templates where the URL names none.
func (s *Screens) New(v *web.Visit) (*web.Answer, error) {
	name := v.URL.Query().Get("template")
	if name == "" {
		return &web.Answer{Title: ui.T(v.Context(), "New definition"), Area: area, Body: templatesPage(templatesFor(v.Call.Caller))}, nil
	}
	text, err := s.templateText(v, name)
	if err != nil {
		return nil, err
	}
	return s.showEditor(v, &editorForm{Text: text}, http.StatusOK)
}

// lineEnds replaces the ends of lines as browsers send them.
var lineEnds = strings.NewReplacer("\r\n", "\n") //nolint:gochecknoglobals // immutable

// parseEditorForm reads the form of the editor.
func parseEditorForm(v *web.Visit) (*editorForm, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	e := &editorForm{
		Text: lineEnds.Replace(form.Get("text")), Base: lineEnds.Replace(form.Get("base")), ID: form.Get("id"), Version: form.Get("version"),
		Form: form.Get("form"), Language: form.Get("language"), Sent: true, Reason: strings.TrimSpace(form.Get("reason")),
	}
	if kind := resource.Kind(form.Get("kind")); kind != "" {
		e.Of = &resource.Key{Tenant: form.Get("tenant"), Kind: kind, Code: form.Get("code")}
	}
	return e, nil
}

// Check shows the changes that applying the text would make, or its errors.
func (s *Screens) Check(v *web.Visit) (*web.Answer, error) {
	e, err := parseEditorForm(v)
	if err != nil {
		return nil, err
	}
	return s.showEditor(v, e, http.StatusOK)
}

// Apply applies the text. One that cannot be applied stays in the editor, and one that changes rights needs
// a fresh sign-in.
func (s *Screens) Apply(v *web.Visit) (*web.Answer, error) {
	e, err := parseEditorForm(v)
	if err != nil {
		return nil, err
	}
	if stale := v.RequireFresh(); stale != nil {
		planned, _, err := s.applyManifests(v, &editorForm{Text: e.Text, ID: e.ID, Version: e.Version, Of: e.Of}, true)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(planned, administration.AppliedResource.ChangesRights) {
			return nil, stale
		}
	}
	applied, rejection, err := s.applyManifests(v, e, false)
	if err != nil {
		return nil, err
	}
	if rejection != nil {
		v.Refuse(rejection)
		status, _ := httpio.StatusOf(rejection.Kind)
		return s.showEditor(v, e, status)
	}
	if len(applied) == 1 {
		return web.SeeOther(screenOf(applied[0].Key) + "?applied"), nil
	}
	return web.SeeOther(appliedPath(applied)), nil
}

// applyManifests applies the text of e, or checks it if dryRun is set, and adds the outcome to e. It returns the
// error of a rejected text.
func (s *Screens) applyManifests(v *web.Visit, e *editorForm, dryRun bool) ([]administration.AppliedResource, *domain.Error, error) {
	e.Checked = true
	sources, err := manifest.Parse(fileName, []byte(e.Text))
	wrong, isWrong := errors.AsType[*manifest.Error](err)
	switch {
	case isWrong:
		e.Problems = []problem{{Line: wrong.Line, Column: wrong.Column, Message: wrong.Message}}
	case err != nil:
		return nil, nil, err
	case len(sources) == 0:
		e.Problems = []problem{{Line: 1, Message: ui.T(v.Context(), "There is no manifest in the text.")}}
	}
	if len(e.Problems) > 0 {
		return nil, domain.Invalid(domain.LocationBody, "", "the text is not a manifest"), nil
	}
	documents := make([]json.RawMessage, len(sources))
	for i, source := range sources {
		documents[i] = source.JSON
	}
	applied, err := s.Administration.ApplyResources(v.Context(), e.atVersion(v.Call, documents),
		administration.ApplyRequest{Documents: documents, DryRun: dryRun, Reason: e.Reason})
	rejection, isRefusal := errors.AsType[*domain.Error](err)
	if isRefusal && rejection.Kind == domain.KindPrecondition {
		return nil, rejection, s.findConflict(v, e)
	}
	if isRefusal && rejection.Kind != domain.KindInternal {
		e.Problems = problemsOf(rejection, sources)
		return nil, rejection, nil
	}
	if err == nil && dryRun {
		for _, w := range s.Administration.ReviewResources(v.Context(), documents) {
			p := problem{Message: w.Message}
			p.Line, p.Column, p.Path = manifest.Locate(sources, w.Path)
			e.Warnings = append(e.Warnings, p)
		}
	}
	return applied, nil, err
}

// atVersion returns the call with the precondition that the edited resource has the version at which the editor opened it,
// so that the change of another administrator is not undone. A text about another resource has no precondition.
func (e *editorForm) atVersion(call domain.Call, documents []json.RawMessage) domain.Call {
	id, err := uuid.Parse(e.ID)
	if err != nil || e.Of == nil || len(documents) != 1 {
		return call
	}
	var head struct {
		Kind     resource.Kind     `json:"kind"`
		Metadata resource.Metadata `json:"metadata"`
	}
	if json.Unmarshal(documents[0], &head) != nil || (resource.Document{Kind: head.Kind, Metadata: head.Metadata}).Key() != *e.Of {
		return call
	}
	return call.WithPrecondition(domain.Precondition{
		Resource: id, Match: &domain.Versions{Listed: []domain.Version{domain.Version(e.Version)}},
	})
}

// problemsOf finds the places in the text that a refusal is about.
func problemsOf(rejection *domain.Error, sources []manifest.Source) []problem {
	var problems []problem
	for _, d := range rejection.Details {
		p := problem{Message: d.Message}
		p.Line, p.Column, p.Path = manifest.Locate(sources, d.Location)
		problems = append(problems, p)
	}
	if len(problems) == 0 {
		problems = append(problems, problem{Message: rejection.Message})
	}
	return problems
}

// showEditor shows the editor: as a page, or for the script only the part with the check results.
func (s *Screens) showEditor(v *web.Visit, e *editorForm, status int) (*web.Answer, error) {
	if !e.Checked {
		if err := s.planChanges(v, e); err != nil {
			return nil, err
		}
	}
	if err := e.renderPreviews(v.Context()); err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: editorSide(e)}, nil
	}
	title := ui.T(v.Context(), "New definition")
	if e.Of != nil {
		title = e.Of.Code
	}
	return &web.Answer{Title: title, Area: area, Status: status, Editor: true, Body: editorPage(e)}, nil
}

// planChanges adds the changes that applying the text would make.
func (s *Screens) planChanges(v *web.Visit, e *editorForm) error {
	applied, rejection, err := s.applyManifests(v, e, true)
	if err != nil || rejection != nil {
		return err
	}
	for _, a := range applied {
		p := plannedChange{Key: a.Key, Action: a.Action}
		if p.Parts, err = resources.CompareManifests(a.Before, a.After); err != nil {
			return err
		}
		e.Plan = append(e.Plan, p)
	}
	return nil
}

// Schema answers with the JSON Schema of the manifests of a kind, from which the editor
// completes.
func (s *Screens) Schema(v *web.Visit) (*web.Answer, error) {
	schema := resource.Schema(resource.Kind(v.Param("kind")))
	if v.Param("kind") == "any" {
		schema = resource.SchemaOfAny()
	}
	if schema == nil {
		return nil, domain.NotFound("page")
	}
	return web.JSON(json.RawMessage(schema)), nil
}

// backPath returns where the editor is left to.
func (e *editorForm) backPath() string {
	if e.Of != nil {
		return pathOf(*e.Of)
	}
	return web.Root + "definitions"
}

func templatePath(name string) string {
	return web.Root + "definitions/new?" + url.Values{"template": {name}}.Encode()
}
