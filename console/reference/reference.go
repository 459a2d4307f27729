package reference

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

const area = "reference"

// Screens are the screens of the API reference. Every user may read them.
type Screens struct {
	// BaseURL is the address of the service in examples, "" for the one that the browser reached it at.
	BaseURL string
}

// List shows the APIs.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	var all []cover
	for _, from := range sources {
		c, err := from.readCover()
		if err != nil {
			return nil, fmt.Errorf("making the API reference: %w", err)
		}
		all = append(all, c)
	}
	return &web.Answer{Title: ui.T(v.Context(), "API reference"), Area: area, Body: listPage(all)}, nil
}

// Show shows the operations of an API that a search finds, all without one.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	c, err := contractOf(v)
	if err != nil {
		return nil, err
	}
	search := strings.TrimSpace(v.URL.Query().Get("q"))
	return &web.Answer{Title: c.Title, Area: area, Body: contractPage(c, search, c.findOperations(search))}, nil
}

// Operation shows an operation of an API, with an example of a call.
func (s *Screens) Operation(v *web.Visit) (*web.Answer, error) {
	c, err := contractOf(v)
	if err != nil {
		return nil, err
	}
	op, ok := c.operations[v.Param("operation")]
	if !ok {
		return nil, domain.NotFound("page")
	}
	return &web.Answer{Title: op.Summary, Area: area, Body: operationPage(c, op, `curl "`+shell.DoubleQuoted(v.Address(s.BaseURL))+op.curl)}, nil
}

// Schema shows a schema of an API.
func (s *Screens) Schema(v *web.Visit) (*web.Answer, error) {
	c, err := contractOf(v)
	if err != nil {
		return nil, err
	}
	name := v.Param("schema")
	of, ok := c.document.Components.Schemas[name]
	if !ok {
		return nil, domain.NotFound("page")
	}
	shown := reading{}.readSchema(&openapi3.SchemaRef{Ref: name, Value: of.Value})
	return &web.Answer{Title: name, Area: area, Body: schemaPage(c, name, shown)}, nil
}

// contractOf returns the API that a path names.
func contractOf(v *web.Visit) (*contract, error) {
	for _, from := range sources {
		if from.code == v.Param("api") {
			c, err := from.model()
			if err != nil {
				return nil, fmt.Errorf("making the API reference: %w", err)
			}
			return c, nil
		}
	}
	return nil, domain.NotFound("page")
}

// pathOf returns the path of a page of the reference.
func pathOf(elements ...string) string {
	escaped := make([]string, 0, len(elements))
	for _, e := range elements {
		escaped = append(escaped, url.PathEscape(e))
	}
	return web.Root + area + "/" + path.Join(escaped...)
}
