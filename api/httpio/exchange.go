package httpio

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
)

type exchangeKey struct{}

// exchange is a request and the writer of its answer.
type exchange struct {
	writer  http.ResponseWriter
	request *http.Request
}

// RequestContext returns the context for an operation: the context of the request with
// the request and the writer of its response. Unlike Gin's context it may be used after
// the request.
func RequestContext(c *gin.Context) context.Context {
	return context.WithValue(c.Request.Context(), exchangeKey{}, exchange{writer: c.Writer, request: c.Request})
}

// exchangeOf returns the request and writer in a context of RequestContext.
func exchangeOf(ctx context.Context) (exchange, bool) {
	e, ok := ctx.Value(exchangeKey{}).(exchange)
	return e, ok
}

// AcceptLanguage returns the header Accept-Language of the request that ctx belongs to.
func AcceptLanguage(ctx context.Context) string {
	e, ok := exchangeOf(ctx)
	if !ok || e.request == nil {
		return ""
	}
	return e.request.Header.Get("Accept-Language")
}
