// Package resources has what the lists of manifests share, those of definitions and those
// of people.
package resources

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// PageSize is how many manifests a page of a list has.
const PageSize = 25

// People returns the kinds of those that act, which have a list of their own.
func People() []resource.Kind {
	return []resource.Kind{resource.KindUser, resource.KindGroup, resource.KindApplication, resource.KindRobot}
}

// Definitions returns all other kinds, with those first that are looked for most.
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

// Question contains the filters of a list, which are the query of its URL.
type Question struct {
	// Area is the entry of the navigation, and the path of the list.
	Area string
	// Kind is "" for all kinds of the list.
	Kind   resource.Kind
	Search string
	Page   int
}

// Asked reads the query of a URL. A kind that the list does not have counts as ifNone.
func Asked(area string, query url.Values, kinds []resource.Kind, ifNone resource.Kind) Question {
	q := Question{Area: area, Kind: resource.Kind(query.Get("kind")), Search: query.Get("q"), Page: web.PageNumber(query)}
	if !slices.Contains(kinds, q.Kind) {
		q.Kind = ifNone
	}
	return q
}

// Path returns the URL of the list that asks the question.
func (q Question) Path() string {
	query := url.Values{}
	if q.Kind != "" {
		query.Set("kind", string(q.Kind))
	}
	if q.Search != "" {
		query.Set("q", q.Search)
	}
	if q.Page > 1 {
		query.Set("page", strconv.Itoa(q.Page))
	}
	path := web.Root + q.Area
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// Of returns the question for a kind.
func (q Question) Of(kind resource.Kind) Question { q.Kind, q.Page = kind, 1; return q }

func (q Question) onPage(page int) Question { q.Page = page; return q }

// List is a page of a list.
type List struct {
	Question
	domain.Page[resource.Stored]
}

// Pages returns where the page is in the list.
func (l *List) Pages() ui.Pages {
	return ui.Pages{Page: l.Question.Page, Of: l.TotalPages(), Total: l.Total, Path: func(page int) string { return l.onPage(page).Path() }}
}

// Find returns the page that a question asks for, of manifests of kinds in order. For one
// behind the last it returns the answer that leads to the last.
func Find(
	v *web.Visit, of *administration.Administration, q Question, kinds []resource.Kind, order ...domain.SortKey,
) (*List, *web.Answer, error) {
	l := &List{Question: q}
	filter := administration.ResourceFilter{Kinds: kinds, Search: q.Search}
	if q.Kind != "" {
		filter.Kinds = []resource.Kind{q.Kind}
	}
	err := of.FindResources(v.Context(), v.Caller, filter, domain.PageRequest{Number: q.Page - 1, Size: PageSize}, order,
		func(found *domain.Listing[resource.Stored]) error {
			l.Page = found.Page
			l.Items = nil
			return found.Each(func(r *resource.Stored) error {
				l.Items = append(l.Items, *r)
				return nil
			})
		})
	if err == nil && len(l.Items) == 0 && q.Page > 1 {
		return nil, web.SeeOther(q.onPage(max(1, l.TotalPages())).Path()), nil
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
// and its owners are changed by owners.
func MayChange(caller domain.Caller, r *resource.Stored) bool {
	rights := caller.Administration(r.TenantID)
	user, isUser := r.Spec.(*resource.UserSpec)
	application, isApplication := r.Spec.(*resource.ApplicationSpec)
	reserved := r.Kind == resource.KindTenant || isUser && user.Role == domain.RoleOwner ||
		isApplication && application.Role == domain.RoleOwner
	return rights.Owns() || rights.Administers() && !reserved
}
