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
	Administration *administration.Administration
}

// listed is the content of the list.
type listed struct {
	*resources.List

	Use map[uuid.UUID]domain.DefinitionUse
	// Applied reports whether manifests were just applied.
	Applied bool
	// Tenants reports whether there are manifests of several tenants.
	Tenants bool
}

// List shows the manifests that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	found, elsewhere, err := resources.Find(v, s.Administration, resources.Asked(area, v.URL.Query(), resources.Definitions(), ""), resources.Definitions(),
		domain.SortKey{Property: "kind"}, domain.SortKey{Property: "code"})
	if err != nil || elsewhere != nil {
		return elsewhere, err
	}
	l := listed{List: found, Applied: v.URL.Query().Has("applied"), Tenants: web.SeveralTenants(v.Caller)}
	if l.Use, err = s.Administration.FindDefinitionUse(v.Context(), l.Items); err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Definitions"), Area: area, Body: listPage(l)}, nil
}

func pathOf(key resource.Key, more ...string) string { return resources.PathOf(area, key, more...) }
