package people

import (
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// area is the entry of the navigation.
const area = "people"

// Screens are the screens of people.
type Screens struct {
	Administration *administration.Service
}

// List shows the people, groups, applications or robots that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	found, elsewhere, err := resources.Find(v, s.Administration, area, resources.ParseQuery(v, resources.People(), resource.KindUser), resources.People(),
		domain.SortKey{Property: "code"})
	if err != nil || elsewhere != nil {
		return elsewhere, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "People"), Area: area, Body: listPage(found)}, nil
}

func pathOf(key resource.Key, more ...string) string { return resources.PathOf(area, key, more...) }

// rowText returns the details in the row of a resource.
func rowText(r *resource.Stored) string {
	if spec, ok := r.Spec.(*resource.UserSpec); ok {
		return spec.Email
	}
	return r.Metadata.Code
}

// roleOf returns the role of a resource in its tenant, "" for one without.
func roleOf(r *resource.Stored) domain.TenantRole {
	switch spec := r.Spec.(type) {
	case *resource.UserSpec:
		return spec.Role
	case *resource.ApplicationSpec:
		return spec.Role
	default:
		return ""
	}
}

// isDisabled reports whether a user or an application is disabled.
func isDisabled(r *resource.Stored) bool {
	switch spec := r.Spec.(type) {
	case *resource.UserSpec:
		return spec.Disabled
	case *resource.ApplicationSpec:
		return spec.Disabled
	default:
		return false
	}
}
