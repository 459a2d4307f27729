package httpio

import "github.com/gin-gonic/gin"

// NewEngine returns a Gin engine with everything that applies to all routes of a
// contract: recovery, security headers, and 404 and 405 answers in the contract's
// form. Routes are added by the caller; serve the engine through Handler, behind
// chain.Chain. It switches Gin, process-wide, to release mode.
func NewEngine(errs *ErrorWriter) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.Use(RecordRoute, Recover(errs), SecurityHeaders)
	engine.NoRoute(errs.NotFound)
	engine.NoMethod(errs.MethodNotAllowed)
	return engine
}

// SecurityHeaders disables caching of responses, content sniffing, and embedding in pages
// of other origins. A handler with cacheable responses sets Cache-Control itself.
func SecurityHeaders(c *gin.Context) {
	c.Header("Cache-Control", "no-store")
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Cross-Origin-Resource-Policy", "same-origin")
}
