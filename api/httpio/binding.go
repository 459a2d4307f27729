package httpio

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/oapi-codegen/runtime"
)

// Binding reads the parameters of a request into variables, for the generated servers.
// It reports the first invalid parameter to the error handler and ignores the following
// ones.
type Binding struct {
	c      *gin.Context
	report func(*gin.Context, error, int)
	query  url.Values
	failed bool
}

// Bind returns a binding of the request of c. report answers for invalid parameters.
func Bind(c *gin.Context, report func(*gin.Context, error, int)) *Binding {
	return &Binding{c: c, report: report}
}

// Path reads a path parameter into target, a pointer. schemaType and format are the type
// and format of its schema.
func (b *Binding) Path(name string, target any, schemaType, format string) {
	if b.failed {
		return
	}
	b.recordError(name, runtime.BindStyledParameterWithOptions("simple", name, b.c.Param(name), target,
		runtime.BindStyledParameterOptions{
			ParamLocation: runtime.ParamLocationPath, Required: true, Type: schemaType, Format: format, ValueIsUnescaped: true,
		}))
}

// Query reads a query parameter into target, a pointer.
func (b *Binding) Query(name string, required bool, target any, schemaType, format string) {
	if b.failed {
		return
	}
	if b.query == nil {
		b.query = b.c.Request.URL.Query()
	}
	b.recordError(name, runtime.BindQueryParameterWithOptions("form", true, required, name, b.query, target,
		runtime.BindQueryParameterOptions{Type: schemaType, Format: format}))
}

// Header reads an optional header into target, a pointer. It reports whether the header
// is present and valid.
func (b *Binding) Header(name string, target any, schemaType, format string) bool {
	values, present := b.c.Request.Header[http.CanonicalHeaderKey(name)]
	if b.failed || !present {
		return false
	}
	if len(values) != 1 {
		b.fail(fmt.Errorf("%s must be sent once, got %d values", name, len(values)))
		return false
	}
	b.recordError(name, runtime.BindStyledParameterWithOptions("simple", name, values[0], target,
		runtime.BindStyledParameterOptions{ParamLocation: runtime.ParamLocationHeader, Type: schemaType, Format: format}))
	return !b.failed
}

// Bound reports whether all parameters were valid.
func (b *Binding) Bound() bool { return !b.failed }

func (b *Binding) recordError(name string, err error) {
	if err != nil {
		b.fail(fmt.Errorf("invalid format of parameter %s: %w", name, err))
	}
}

func (b *Binding) fail(err error) {
	b.failed = true
	b.report(b.c, err, http.StatusBadRequest)
}

// Passes runs the middlewares and reports whether none of them aborted the request.
func Passes(c *gin.Context, middlewares []gin.HandlerFunc) bool {
	for _, run := range middlewares {
		run(c)
		if c.IsAborted() {
			return false
		}
	}
	return true
}
