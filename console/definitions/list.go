package definitions

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// pageSize is how many manifests a page of the list has.
const pageSize = 25

// area is the entry of the navigation.
const area = "definitions"

// Screens are those of definitions.
type Screens struct {
	App            *app.Service
	Administration *administer.Administration
}

// kinds are those that the list has; people and programs have a list of their own.
func kinds() []resource.Kind {
	return []resource.Kind{
		resource.KindProcessDefinition, resource.KindBusinessArtifactDefinition, resource.KindDataStructure,
		resource.KindDataSource, resource.KindEncryptionKey, resource.KindWebhookSubscription, resource.KindTenant,
	}
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
		q.Kind = ""
	}
	return q
}

func (q question) path() string {
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
	path := web.Root + "definitions"
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func (q question) onPage(page int) question { q.Page = page; return q }

func (q question) of(kind resource.Kind) question { q.Kind, q.Page = kind, 1; return q }

// listed is what the list shows.
type listed struct {
	question
	domain.Page[resource.Stored]

	Use map[uuid.UUID]domain.DefinitionUse
	// Tenants reports whether there are manifests of several tenants.
	Tenants bool
}

// List shows the manifests that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	l := listed{question: asked(v.URL.Query())}
	filter := administer.ResourceFilter{Kinds: kinds(), Search: l.Search}
	if l.Kind != "" {
		filter.Kinds = []resource.Kind{l.Kind}
	}
	err := s.Administration.FindResources(v.Context(), v.Caller, filter, domain.PageRequest{Number: l.question.Page - 1, Size: pageSize},
		[]domain.SortKey{{Property: "kind"}, {Property: "code"}},
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
	if l.Use, err = s.Administration.FindDefinitionUse(v.Context(), l.Items); err != nil {
		return nil, err
	}
	l.Tenants = v.Caller.Operator || len(v.Caller.AdministeredTenants()) > 1
	return &web.Answer{Title: ui.T(v.Context(), "Definitions"), Area: area, Body: listPage(l)}, nil
}

// pathOf returns the path of a manifest, with more elements after it.
func pathOf(key resource.Key, more ...string) string {
	path := web.Root + "definitions/" + url.PathEscape(key.Tenant) + "/" + string(key.Kind) + "/" + url.PathEscape(key.Code)
	for _, element := range more {
		path += "/" + element
	}
	return path
}
