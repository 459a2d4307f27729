// Package finders finds the objects that values of forms can refer to.
package finders

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// shown bounds the results of a search.
const shown = 20

// Finder finds for one user. It implements Find and Items of forms.Store.
type Finder struct {
	App  *app.Service
	Call domain.Call
	// Tenant is the tenant of the data sources that the form names.
	Tenant uuid.UUID
}

// Find returns objects by words of their names that are visible to the user. It does not search data sources.
func (f Finder) Find(ctx context.Context, control *form.Node, words string) ([]forms.Match, error) {
	switch control.Kind { //nolint:exhaustive // other kinds are not references
	case form.KindPrincipal:
		return f.findPrincipals(ctx, words)
	case form.KindGroup:
		return f.findGroups(ctx, words)
	case form.KindProcess:
		return f.findProcesses(ctx, words)
	case form.KindArtifact:
		return f.findArtifacts(ctx, words)
	}
	return nil, nil
}

// Items asks a data source for items, or reads the answer to a query of it.
func (f Finder) Items(ctx context.Context, control *form.Node, search forms.Search) (*domain.DataSourceRun, error) {
	if search.Query == uuid.Nil {
		return f.App.CreateDataSourceQuery(ctx, f.Call, app.NewDataSourceQuery{
			TenantID: &f.Tenant, SourceCode: control.Source, Query: &search.Words, PageNumber: search.Page, PageSize: shown,
		})
	}
	run, err := f.App.RetrieveDataSourceQuery(ctx, f.Call, search.Query)
	if err == nil && (run.TenantID != f.Tenant || run.SourceCode != control.Source) {
		return nil, domain.NotFound("data source query")
	}
	return run, err
}

func firstPage() domain.PageRequest { return domain.PageRequest{Size: shown} }

func byName() []domain.SortKey { return []domain.SortKey{{Property: "name"}} }

func (f Finder) findPrincipals(ctx context.Context, words string) ([]forms.Match, error) {
	people, err := f.App.FindPrincipals(ctx, f.Call, app.PrincipalFilter{Search: words}, firstPage(), byName())
	found := make([]forms.Match, 0, len(people.Items))
	for _, p := range people.Items {
		found = append(found, forms.Match{
			Name: p.Name, Reference: kuflowref.Principal{ID: p.ID, Type: p.Type, Name: p.Name}.String(),
		})
	}
	return found, err
}

func (f Finder) findGroups(ctx context.Context, words string) ([]forms.Match, error) {
	groups, err := f.App.FindGroups(ctx, f.Call, app.GroupFilter{Search: words}, firstPage(), byName())
	found := make([]forms.Match, 0, len(groups.Items))
	for _, g := range groups.Items {
		found = append(found, forms.Match{Name: g.Name, Reference: kuflowref.Group{ID: g.ID, Name: g.Name}.String()})
	}
	return found, err
}

func (f Finder) findProcesses(ctx context.Context, words string) ([]forms.Match, error) {
	board, err := f.App.FindBoard(ctx, f.Call, app.BoardFilter{Search: words}, firstPage(), nil)
	found := make([]forms.Match, 0, len(board.Items))
	for _, p := range board.Items {
		found = append(found, forms.Match{Name: p.Subject, Reference: kuflowref.Process{ID: p.ID, Name: p.Subject}.String()})
	}
	return found, err
}

func (f Finder) findArtifacts(ctx context.Context, words string) ([]forms.Match, error) {
	board, err := f.App.FindArtifactBoard(ctx, f.Call, app.BusinessArtifactFilter{Search: words}, firstPage(), nil)
	found := make([]forms.Match, 0, len(board.Items))
	for i := range board.Items {
		a := &board.Items[i]
		title := board.Choice(a).Title(a, nil) // The reference is stored: it is the same for every reader.
		found = append(found, forms.Match{
			Name: title, Reference: kuflowref.BusinessArtifact{ID: a.ID, DefinitionID: a.Definition.ID, Title: title}.String(),
		})
	}
	return found, err
}
