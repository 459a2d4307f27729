package httpio

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// NewEngine returns a Gin engine with everything that applies to all routes:
// request id, access log, recovery, security headers, and 404 and 405 answers
// in the contract's form. Routes are added by the caller; serve the engine
// through Handler. It switches Gin, process-wide, to release mode.
//
// callerAttrs returns the fields of the access log about the caller of a request, and
// may be nil.
func NewEngine(
	errs *ErrorWriter, log *slog.Logger, clock func() time.Time, callerAttrs func(*http.Request) []slog.Attr,
) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.Use(RequestID, AccessLog(log, clock, callerAttrs), Recover(errs), SecurityHeaders)
	engine.NoRoute(errs.NotFound)
	engine.NoMethod(errs.MethodNotAllowed)
	return engine
}

// SecurityHeaders disables caching of answers and content sniffing. A handler
// whose answer may be cached sets Cache-Control itself.
func SecurityHeaders(c *gin.Context) {
	c.Header("Cache-Control", "no-store")
	c.Header("X-Content-Type-Options", "nosniff")
}
