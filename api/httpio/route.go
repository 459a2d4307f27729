package httpio

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/domain"
)

const mediaBytes = "application/octet-stream"

var errBodySchemas = errors.New("its body types do not share one schema")

// route is one operation, prepared for checking.
type route struct {
	route         *routers.Route
	params        []*openapi3.Parameter
	options       *openapi3filter.Options
	carriesSecret bool

	content      openapi3.Content // nil when the operation takes no body
	bodyRequired bool
	bodySchema   *openapi3.Schema
	streams      bool // the body is bytes for the handler to read

	tagged bool // answers are representations with an entity tag
	// subject is the path of the operation that reads the resource of a write, or "".
	subject string
}

func newRoute(
	doc *openapi3.T, path string, item *openapi3.PathItem, method string, operation *openapi3.Operation,
) (*route, error) {
	secret, _ := operation.Extensions["x-carries-secret"].(bool)
	r := &route{
		route:         &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: operation},
		carriesSecret: secret,
		options: &openapi3filter.Options{
			MultiError:              true,
			SkipSettingDefaults:     true,
			AuthenticationFunc:      openapi3filter.NoopAuthenticationFunc,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{StringFormats()},
		},
	}
	success := operation.Responses.Value("200")
	if success == nil {
		success = operation.Responses.Value("202")
	}
	if success != nil && success.Value.Content[mediaJSON] != nil {
		_, r.tagged = success.Value.Headers["ETag"]
	}
	r.subject = subjectPath(doc, path, operation)
	for _, param := range item.Parameters {
		if operation.Parameters.GetByInAndName(param.Value.In, param.Value.Name) == nil {
			r.params = append(r.params, param.Value)
		}
	}
	for _, param := range operation.Parameters {
		r.params = append(r.params, param.Value)
	}
	if operation.RequestBody == nil {
		return r, nil
	}
	r.content = operation.RequestBody.Value.Content
	r.bodyRequired = operation.RequestBody.Value.Required
	if _, ok := r.content[mediaBytes]; ok {
		r.streams = true
		return r, nil
	}
	for media, described := range r.content {
		if media != mediaJSON && !strings.HasSuffix(media, "+json") {
			return nil, fmt.Errorf("media type %s: %w", media, errBodySchemas)
		}
		if r.bodySchema != nil && r.bodySchema != described.Schema.Value {
			return nil, fmt.Errorf("media type %s: %w", media, errBodySchemas)
		}
		r.bodySchema = described.Schema.Value
	}
	return r, nil
}

// subjectPath returns the longest prefix of the path of an operation that reads one
// resource, or the path in x-subject of the operation.
func subjectPath(doc *openapi3.T, path string, operation *openapi3.Operation) string {
	if named, ok := operation.Extensions["x-subject"].(string); ok {
		return named
	}
	for path != "" {
		if item := doc.Paths.Value(path); strings.HasSuffix(path, "}") && item != nil && item.Get != nil {
			return path
		}
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return ""
}

// checkBody returns all violations in a parsed body, or the first one only.
func (r *route) checkBody(value any, everything bool) []domain.Detail {
	options := []openapi3.SchemaValidationOption{openapi3.VisitAsRequest(), StringFormats()}
	if everything {
		options = append(options, openapi3.MultiErrors())
	}
	if err := r.bodySchema.VisitJSON(value, options...); err != nil {
		return bodyViolations(err)
	}
	return nil
}

// checkParams returns the violations of the parameters of a request. Without any,
// absent query parameters get their defaults.
func (r *route) checkParams(c *gin.Context) []domain.Detail {
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return []domain.Detail{{
			Code: domain.CodeValidation, Message: "the query string is malformed", LocationType: domain.LocationQuery,
		}}
	}
	path := make(map[string]string, len(c.Params))
	for _, param := range c.Params {
		path[param.Key] = param.Value
	}
	input := &openapi3filter.RequestValidationInput{
		Request: c.Request, PathParams: path, QueryParams: query, Route: r.route, Options: r.options,
	}
	details := r.checkUnknown(c, query)
	defaulted := false
	for _, param := range r.params {
		if param.In == openapi3.ParameterInHeader && slices.ContainsFunc(c.Request.Header.Values(param.Name), isBadText) {
			details = append(details, domain.Detail{
				Code: domain.CodeValidation, Message: "contains characters that are not allowed",
				Location: param.Name, LocationType: domain.LocationHeader,
			})
			continue
		}
		if param.In == openapi3.ParameterInQuery {
			if message := queryProblem(param, query[param.Name]); message != "" {
				details = append(details, domain.Detail{
					Code: domain.CodeValidation, Message: message, Location: param.Name, LocationType: domain.LocationQuery,
				})
				continue
			}
			if !query.Has(param.Name) && param.Schema.Value.Default != nil {
				query.Set(param.Name, fmt.Sprint(param.Schema.Value.Default))
				defaulted = true
			}
		}
		if err := openapi3filter.ValidateParameter(c.Request.Context(), input, param); err != nil {
			details = append(details, paramViolations(param, err)...)
		}
	}
	if defaulted {
		c.Request.URL.RawQuery = query.Encode()
	}
	return details
}

// isBadText reports whether a parameter contains text that neither PostgreSQL nor
// JSON can store.
func isBadText(value string) bool { return !utf8.ValidString(value) || strings.ContainsRune(value, 0) }

// queryProblem returns the violation of a query parameter that the schema
// library misses, or "".
func queryProblem(param *openapi3.Parameter, values []string) string {
	kind := param.Schema.Value.Type
	if len(values) > 1 && !kind.Is(openapi3.TypeArray) {
		return "must be given once"
	}
	for _, value := range values {
		if isBadText(value) {
			return "contains characters that are not allowed"
		}
		if value == "" && !kind.Is(openapi3.TypeArray) && !kind.Is(openapi3.TypeString) {
			return "must not be empty"
		}
	}
	return ""
}
