package httpio

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"
)

// errPanic is the error for a recovered panic.
var errPanic = errors.New("panic")

// Recover turns a panic below it into a 500 answer and a log entry with the
// stack. When part of the answer is already out, it drops the connection
// instead, so that the client cannot mistake it for a whole one.
func Recover(errs *ErrorWriter) gin.HandlerFunc {
	return func(c *gin.Context) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(http.ErrAbortHandler)
			}
			errs.log.LogAttrs(c.Request.Context(), slog.LevelError, "panic in handler",
				slog.String("route", routeName(c)),
				slog.String("request_id", RequestIDFrom(c.Request.Context())),
				slog.String("stack", string(debug.Stack())),
			)
			if c.Writer.Written() {
				panic(http.ErrAbortHandler)
			}
			errs.Write(c, fmt.Errorf("%w: %v", errPanic, cause))
		}()
		c.Next()
	}
}

func routeName(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return "unmatched"
}
