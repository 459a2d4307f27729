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

// RequestContext returns the context that operations get: that of the request, with
// the request and the writer of its answer for the answers that need them. Unlike
// Gin's it may be used after the request is over.
func RequestContext(c *gin.Context) context.Context {
	return context.WithValue(c.Request.Context(), exchangeKey{}, exchange{writer: c.Writer, request: c.Request})
}

// exchangeOf returns what the operation that ctx was made for answers, if it was
// made by RequestContext.
func exchangeOf(ctx context.Context) (exchange, bool) {
	e, ok := ctx.Value(exchangeKey{}).(exchange)
	return e, ok
}
