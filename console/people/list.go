package people

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// pageSize is how many rows a page of the list has.
	pageSize = 25
	// area is the entry of the navigation.
	area = "people"
)

// Screens are those of people.
type Screens struct {
	Administration *administer.Administration
}

func kinds() []resource.Kind {
	return []resource.Kind{resource.KindUser, resource.KindGroup, resource.KindApplication, resource.KindRobot}
}

// question is what a visitor asks the list for. It is the query of its URL.
type question struct {
	Kind   resource.Kind
	Search string
	Page   int
}

func asked(query url.Values) question {
	q := question{Kind: resource.Kind(query.Get("kind")), Search: query.Get("q"), Page: web.PageNumber(query)}
	if !slices.Contains(kinds(), q.Kind) {
		q.Kind = resource.KindUser
	}
	return q
}

func (q question) path() string {
	query := url.Values{"kind": {string(q.Kind)}}
	if q.Search != "" {
		query.Set("q", q.Search)
	}
	if q.Page > 1 {
		query.Set("page", strconv.Itoa(q.Page))
	}
	return web.Root + "people?" + query.Encode()
}

func (q question) onPage(page int) question { q.Page = page; return q }

func (q question) of(kind resource.Kind) question { q.Kind, q.Page = kind, 1; return q }

// listed is what the list shows.
type listed struct {
	question
	domain.Page[resource.Stored]
}

// List shows the people, groups, applications or robots that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	l := listed{question: asked(v.URL.Query())}
	err := s.Administration.FindResources(v.Context(), v.Caller,
		administer.ResourceFilter{Kinds: []resource.Kind{l.Kind}, Search: l.Search},
		domain.PageRequest{Number: l.question.Page - 1, Size: pageSize}, []domain.SortKey{{Property: "code"}},
		func(found *domain.Listing[resource.Stored]) error {
			l.Page = found.Page
			l.Items = nil
			return found.Each(func(r *resource.Stored) error {
				l.Items = append(l.Items, *r)
				return nil
			})
		})
	if err != nil {
		return nil, err
	}
	if len(l.Items) == 0 && l.question.Page > 1 {
		return web.SeeOther(l.onPage(max(1, l.TotalPages())).path()), nil
	}
	return &web.Answer{Title: ui.T(v.Context(), "People"), Area: area, Body: listPage(l)}, nil
}

// pathOf returns the path of a resource, with more elements after it.
func pathOf(key resource.Key, more ...string) string {
	path := web.Root + "people/" + url.PathEscape(key.Tenant) + "/" + string(key.Kind) + "/" + url.PathEscape(key.Code)
	for _, element := range more {
		path += "/" + element
	}
	return path
}

// about returns what a row says of a resource beside its name.
func about(r *resource.Stored) string {
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

// disabled reports whether a user or an application is disabled.
func disabled(r *resource.Stored) bool {
	switch spec := r.Spec.(type) {
	case *resource.UserSpec:
		return spec.Disabled
	case *resource.ApplicationSpec:
		return spec.Disabled
	default:
		return false
	}
}
