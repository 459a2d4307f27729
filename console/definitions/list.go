package definitions

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// area is the entry of the navigation.
const area = "definitions"

// Screens are the screens of definitions.
type Screens struct {
	App            *app.Service
	Administration *administration.Service
}

// listView contains a page of the list.
type listView struct {
	*resources.List

	Use map[uuid.UUID]domain.DefinitionUse
	// Applied reports whether manifests were just applied.
	Applied bool
	// AppliedKeys are the applied resources, empty for none to link to.
	AppliedKeys []resource.Key
	// SeveralTenants reports whether the user administers several tenants.
	SeveralTenants bool
}

// List shows the manifests that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	found, elsewhere, err := resources.Find(v, s.Administration, area, resources.ParseQuery(v, resources.Definitions(), ""), resources.Definitions(),
		domain.SortKey{Property: "kind"}, domain.SortKey{Property: "code"})
	if err != nil || elsewhere != nil {
		return elsewhere, err
	}
	query := v.URL.Query()
	l := listView{List: found, Applied: query.Has(appliedParam), AppliedKeys: parseApplied(query), SeveralTenants: web.SeveralTenants(v.Call.Caller)}
	if l.Use, err = s.Administration.FindDefinitionUse(v.Context(), l.Items); err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Definitions"), Area: area, Body: listPage(l)}, nil
}

func pathOf(key resource.Key, more ...string) string { return resources.PathOf(area, key, more...) }
