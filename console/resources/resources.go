// Package resources contains the common parts of lists of manifests.
package resources

import (
	"net/url"
	"slices"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// PageSize is the number of manifests on a page of a list.
const PageSize = 25

// People returns the kinds of principals and groups.
func People() []resource.Kind {
	return []resource.Kind{resource.KindUser, resource.KindGroup, resource.KindApplication, resource.KindRobot}
}

// Definitions returns all other kinds, the most used ones first.
func Definitions() []resource.Kind {
	kinds := []resource.Kind{
		resource.KindProcessDefinition, resource.KindBusinessArtifactDefinition, resource.KindDataStructure,
		resource.KindDataSource, resource.KindEncryptionKey,
	}
	for _, kind := range resource.Kinds() {
		if !slices.Contains(kinds, kind) && !slices.Contains(People(), kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// ParseQuery returns the parameters of a list of kinds. The default of "kind" is ifNone.
func ParseQuery(v *web.Visit, kinds []resource.Kind, ifNone resource.Kind) web.Query {
	q := v.Query("kind", "q", "source", "active", "group")
	web.Restrict(q, "kind", kinds...)
	web.Restrict(q, "source", resource.Sources()...)
	web.Restrict(q, "active", "true", "false")
	q.Default("kind", string(ifNone))
	return q
}

// List is a page of a list.
type List struct {
	web.Query
	domain.Page[resource.Stored]
}

// Kind returns the kind of the listed manifests, "" for all kinds.
func (l *List) Kind() resource.Kind { return resource.Kind(l.Get("kind")) }

// Find returns the requested page of the list of an area, which contains manifests of kinds in order. For a
// page behind the last one it returns a redirect to the last one instead.
func Find(
	v *web.Visit, of *administration.Service, area string, q web.Query, kinds []resource.Kind, order ...domain.SortKey,
) (*List, *web.Answer, error) {
	l, page := &List{Query: q}, v.Page(PageSize)
	filter := administration.ResourceFilter{Kinds: kinds, Search: q.Get("q"), ClaimedGroup: q.Get("group")}
	if source := q.Get("source"); source != "" {
		filter.Sources = []resource.Source{resource.Source(source)}
	}
	if active := q.Get("active"); active != "" {
		isActive := active == "true"
		filter.Active = &isActive
	}
	if kind := l.Kind(); kind != "" {
		filter.Kinds = []resource.Kind{kind}
	}
	err := of.FindResources(v.Context(), v.Call, filter, page, order,
		func(found *domain.Listing[resource.Stored]) error {
			l.Page = found.Page
			l.Items = nil
			return found.Each(func(r *resource.Stored) error {
				l.Items = append(l.Items, *r)
				return nil
			})
		})
	if err == nil && len(l.Items) == 0 && page.Number > 0 {
		return nil, web.SeeOther(q.OnPage(l.TotalPages()).Path(area)), nil
	}
	return l, nil, err
}

// KeyOf returns the key in the path of a visit, of one of kinds.
func KeyOf(v *web.Visit, kinds []resource.Kind) (resource.Key, error) {
	key := resource.Key{Tenant: v.Param("tenant"), Kind: resource.Kind(v.Param("kind")), Code: v.Param("code")}
	if !slices.Contains(kinds, key.Kind) {
		return key, domain.NotFound("page")
	}
	return key, nil
}

// PathOf returns the path of a manifest in an area, with more elements after it.
func PathOf(area string, key resource.Key, more ...string) string {
	path := web.Root + area + "/" + url.PathEscape(key.Tenant) + "/" + string(key.Kind) + "/" + url.PathEscape(key.Code)
	for _, element := range more {
		path += "/" + element
	}
	return path
}

// MayChange reports whether a caller who administers a manifest may change it: the tenant
// and its owners are changed by owners, process definitions also by their own administrators.
func MayChange(caller domain.Caller, r *resource.Stored) bool {
	rights := caller.Administration(r.TenantID)
	user, isUser := r.Spec.(*resource.UserSpec)
	application, isApplication := r.Spec.(*resource.ApplicationSpec)
	reserved := r.Kind == resource.KindTenant || isUser && user.Role == domain.RoleOwner ||
		isApplication && application.Role == domain.RoleOwner
	return rights.Owns() || rights.Administers() && !reserved || r.Kind == resource.KindProcessDefinition
}
