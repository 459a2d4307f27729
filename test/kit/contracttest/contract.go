// Package contracttest holds API tests to the contract: it checks the requests and
// answers of a test against the OpenAPI document, records which documented
// answers were seen, and makes bad requests out of good ones.
package contracttest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/openapi"
)

// Contract is a document prepared for tests, with a record of the answers seen.
// It is safe for concurrent use; share one between the tests of a package.
type Contract struct {
	// BodyLimit is the size in bytes that a body may have, to be set before use
	// where it is not httpio.DefaultBodyLimit.
	BodyLimit int

	name       string
	doc        *openapi3.T
	base       string
	operations []*operation
	coverage   coverage
	members    members
}

type operation struct {
	id       string
	method   string
	template []string // path segments, parameters in braces
	params   []*openapi3.Parameter
	route    *routers.Route
}

// Load prepares the document with the given name of package openapi.
func Load(name string) (*Contract, error) {
	doc, err := openapi.Load(name)
	if err != nil {
		return nil, fmt.Errorf("loading contract for tests: %w", err)
	}
	base, err := httpio.BasePath(doc)
	if err != nil {
		return nil, fmt.Errorf("loading contract for tests: %w", err)
	}
	contract := &Contract{BodyLimit: httpio.DefaultBodyLimit, name: name, doc: doc, base: base}
	for path, item := range doc.Paths.Map() {
		for method, described := range item.Operations() {
			op := &operation{
				id: described.OperationID, method: method, template: strings.Split(path, "/"),
				route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: described},
			}
			for _, param := range append(slices.Clone(item.Parameters), described.Parameters...) {
				op.params = append(op.params, param.Value)
			}
			contract.operations = append(contract.operations, op)
		}
	}
	slices.SortFunc(contract.operations, func(a, b *operation) int { return strings.Compare(a.id, b.id) })
	return contract, nil
}

// Document returns the name of the document in package openapi.
func (c *Contract) Document() string { return c.name }

// Base returns the prefix of the paths of all operations, such as
// /v2024-06-14.
func (c *Contract) Base() string { return c.base }

// Operations lists the operationIds of the contract in alphabetical order.
func (c *Contract) Operations() []string {
	ids := make([]string, 0, len(c.operations))
	for _, op := range c.operations {
		ids = append(ids, op.id)
	}
	return ids
}

// findOperation returns the operation that a request is for and its path parameters, or
// nil when the request is for none.
func (c *Contract) findOperation(r *http.Request) (*operation, map[string]string) {
	path, ok := strings.CutPrefix("/"+strings.TrimLeft(r.URL.Path, "/"), c.base)
	if !ok {
		return nil, nil
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, op := range c.operations {
		if params, ok := op.matchPath(method, strings.Split(path, "/")); ok {
			return op, params
		}
	}
	return nil, nil
}

func (c *Contract) byID(id string) (*operation, error) {
	for _, op := range c.operations {
		if op.id == id {
			return op, nil
		}
	}
	return nil, fmt.Errorf("operation %q is not in the contract", id)
}

func (op *operation) matchPath(method string, segments []string) (map[string]string, bool) {
	if method != op.method || len(segments) != len(op.template) {
		return nil, false
	}
	params := map[string]string{}
	for i, part := range op.template {
		if strings.HasPrefix(part, "{") {
			params[strings.Trim(part, "{}")] = segments[i]
		} else if part != segments[i] {
			return nil, false
		}
	}
	return params, true
}

// requestPath fills a parameter-free path for the operation.
func (op *operation) requestPath(base string, params map[string]string) string {
	escaped := map[string]string{}
	for name, value := range params {
		escaped[name] = url.PathEscape(value)
	}
	return base + op.fillPath(escaped)
}

// fillPath puts parameters into the path as they are.
func (op *operation) fillPath(params map[string]string) string {
	segments := slices.Clone(op.template)
	for i, part := range segments {
		if strings.HasPrefix(part, "{") {
			segments[i] = params[strings.Trim(part, "{}")]
		}
	}
	return strings.Join(segments, "/")
}

func (op *operation) validationInput(r *http.Request, params map[string]string) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, QueryParams: r.URL.Query(), Route: op.route,
		Options: &openapi3filter.Options{
			MultiError: true, SkipSettingDefaults: true, ExcludeReadOnlyValidations: true, IncludeResponseStatus: true,
			AuthenticationFunc:      openapi3filter.NoopAuthenticationFunc,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{httpio.StringFormats(), openapi3.DisableSchemaErrorDetails()},
		},
	}
}
