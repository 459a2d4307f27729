// Package finders finds what values of forms refer to, for the person who fills them in.
package finders

import (
	"context"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// shown is how many results are offered.
const shown = 20

// Finder finds for one user. It implements Find of forms.Store.
type Finder struct {
	App    *app.Service
	Caller domain.Caller
}

// Find returns what a control may refer to, by words of its name. People are found by
// words of their names.
func (f Finder) Find(ctx context.Context, control *form.Node, words string) ([]forms.Found, error) {
	if control.Kind != form.KindPrincipal {
		return nil, nil
	}
	people, err := f.App.FindPrincipals(ctx, f.Caller, app.PrincipalFilter{Search: words},
		domain.PageRequest{Size: shown}, []domain.SortKey{{Property: "name"}})
	found := make([]forms.Found, 0, len(people.Items))
	for _, p := range people.Items {
		found = append(found, forms.Found{
			Name: p.Name, Reference: kuflowref.Principal{ID: p.ID, Type: p.Type, Name: p.Name}.String(),
		})
	}
	return found, err
}
