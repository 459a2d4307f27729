package httpio

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzhttp"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

// DefaultBodyLimit is the size in bytes that a JSON body may have unless
// configured otherwise.
const DefaultBodyLimit = 1 << 20

// thoroughLimit is the size in bytes up to which all violations of a body are
// listed. Beyond it only the first of the schema is: a megabyte of bad elements
// would otherwise cost seconds.
const thoroughLimit = 64 << 10

// Validator checks requests against a contract before they reach a handler, and
// fills in the defaults of absent query parameters. It must run before the
// generated server, which by itself accepts far more than the contract allows.
type Validator struct {
	errs   *ErrorWriter
	limits Limits
	base   string
	routes map[string]*route // by method and Gin's route pattern
	// fixed are the methods of the paths without parameters.
	fixed map[string][]string
}

// Limits bound the input of clients. Zero stands for the default of each.
type Limits struct {
	// JSON is the size in bytes of a JSON body, DefaultBodyLimit by default.
	JSON int64
	// Document is the size in bytes of a body that is a document. By default
	// the handler that reads it bounds it.
	Document int64
}

// NewValidator prepares the routes of doc, each mounted below the path of the
// document's first server.
func NewValidator(doc *openapi3.T, errs *ErrorWriter, limits Limits) (*Validator, error) {
	base, err := BasePath(doc)
	if err != nil {
		return nil, err
	}
	limits.JSON = cmp.Or(limits.JSON, DefaultBodyLimit)
	limits.Document = cmp.Or(limits.Document, math.MaxInt64)
	v := &Validator{errs: errs, limits: limits, base: base, routes: map[string]*route{}, fixed: map[string][]string{}}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			r, err := newRoute(doc, path, item, method, operation)
			if err != nil {
				return nil, fmt.Errorf("preparing operation %s: %w", operation.OperationID, err)
			}
			v.routes[method+" "+base+ginPattern(path)] = r
			if !strings.Contains(path, "{") {
				v.fixed[base+path] = append(v.fixed[base+path], method)
			}
		}
	}
	return v, nil
}

// BasePath returns the path of a document's first server, such as /v2024-06-14.
func BasePath(doc *openapi3.T) (string, error) {
	if len(doc.Servers) == 0 {
		return "", nil
	}
	server, err := url.Parse(doc.Servers[0].URL)
	if err != nil {
		return "", fmt.Errorf("parsing server of contract: %w", err)
	}
	return strings.TrimSuffix(server.Path, "/"), nil
}

func ginPattern(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// routeOf returns the operation that a request is for, or nil.
func (v *Validator) routeOf(c *gin.Context) *route {
	return v.routes[c.Request.Method+" "+c.FullPath()]
}

// LimitBody is the middleware that refuses a request that announces too large a
// body. One that does not announce its size is cut off where it is read.
func (v *Validator) LimitBody(c *gin.Context) {
	refusal, limit := tooLarge(), v.limits.JSON
	if r := v.routeOf(c); r != nil && r.streams {
		refusal, limit = documentTooLarge(v.limits.Document), v.limits.Document
	}
	if c.Request.ContentLength > limit {
		v.errs.Write(c, refusal)
	}
}

// Handle is the middleware. A request that breaks the contract is answered
// with all its violations at once; a request to a route outside the contract
// passes.
func (v *Validator) Handle(c *gin.Context) {
	r := v.routeOf(c)
	if r == nil {
		return
	}
	// A fixed path may also match a path with parameters.
	if methods := v.fixed[c.Request.URL.Path]; strings.Contains(c.FullPath(), ":") && methods != nil {
		slices.Sort(methods)
		c.Header("Allow", strings.Join(methods, ", "))
		v.errs.MethodNotAllowed(c)
		return
	}
	if r.carriesSecret {
		c.Header(gzhttp.HeaderNoCompression, "1")
	}
	if err := v.checkRequest(c, r); err != nil {
		v.errs.Write(c, err)
	}
}

func (v *Validator) checkRequest(c *gin.Context, r *route) (err error) {
	defer func() {
		// Whatever a request makes the schema library do, it is the request's fault.
		if cause := recover(); cause != nil {
			v.errs.logFailure(c, "panic while validating", fmt.Errorf("%w: %v", errPanic, cause))
			err = domain.InvalidBody("", "cannot be validated")
		}
	}()
	for _, param := range c.Params {
		if isBadText(param.Value) {
			return domain.NotFound("resource")
		}
	}
	details := r.checkParams(c)
	if r.content != nil && (r.streams || r.bodyRequired || hasBody(c.Request)) {
		if err := r.checkMedia(c.Request, c.Writer.Header(), !r.streams); err != nil {
			return err
		}
	}
	if r.content != nil && !r.streams {
		violations, err := v.checkBody(c, r)
		if err != nil {
			return err
		}
		details = append(details, violations...)
	}
	if len(details) == 0 {
		return nil
	}
	return invalidRequest(details[:min(len(details), maxViolations)])
}

func invalidRequest(details []domain.Detail) error {
	return &domain.Error{
		Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: "the request is not valid", Details: details,
	}
}

func hasBody(r *http.Request) bool {
	return r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0
}

// checkBody reads the body, checks it and puts it back for the handler.
func (v *Validator) checkBody(c *gin.Context, r *route) ([]domain.Detail, error) {
	data, err := v.readBody(c)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		if !r.bodyRequired {
			return nil, nil
		}
		return []domain.Detail{{
			Code: domain.CodeValidation, Message: "is required", LocationType: domain.LocationBody,
		}}, nil
	}
	body, err := readJSON(data, r.bodySchema)
	if err != nil {
		bad, ok := errors.AsType[*jsontext.Error](err)
		if !ok {
			return nil, fmt.Errorf("reading JSON body: %w", err)
		}
		return []domain.Detail{{
			Code: domain.CodeValidation, Message: bad.Error(), Location: jsonPointer(bad.Path), LocationType: domain.LocationBody,
		}}, nil
	}
	details := append(body.problems, r.checkBody(body.value, len(data) <= thoroughLimit)...)
	c.Request.Body = io.NopCloser(bytes.NewReader(data))
	c.Request.ContentLength = int64(len(data))
	// The generated server chooses the type of a body by prefix and case; all
	// JSON types of an operation share one schema, so one name does for all.
	c.Request.Header.Set("Content-Type", mediaJSON)
	return details, nil
}

func (v *Validator) readBody(c *gin.Context) ([]byte, error) {
	if c.Request.Body == nil {
		return nil, nil
	}
	if c.Request.ContentLength > v.limits.JSON {
		return nil, tooLarge()
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, v.limits.JSON))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, tooLarge()
		}
		// The client stopped sending, which is not a fault of the service.
		return nil, domain.InvalidBody("", "could not be read")
	}
	return data, nil
}

func tooLarge() error {
	return &domain.Error{
		Kind: domain.KindTooLarge, Code: domain.CodeValidation, Message: "the body is too large",
		Details: []domain.Detail{{
			Code: domain.CodeValidation, Message: "is too large", LocationType: domain.LocationBody,
		}},
	}
}

func documentTooLarge(limit int64) error {
	return &domain.Error{
		Kind: domain.KindTooLarge, Code: domain.CodeDocumentTooLarge,
		Message: fmt.Sprintf("the document is larger than %d bytes", limit),
	}
}
