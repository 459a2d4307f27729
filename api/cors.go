package api

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/rs/cors"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// preflightAge is for how many seconds a browser may remember that pages of an origin may send requests.
const preflightAge = 600

// allowOrigins permits pages of the origins to read answers (the CORS protocol of the Fetch standard). Credentials that a
// browser remembers are never taken from them: their programs send their own in the header Authorization.
func allowOrigins(origins []string) gin.HandlerFunc {
	protocol := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		},
		AllowedHeaders: []string{
			"Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer", "Range", "X-Request-Id",
		},
		ExposedHeaders: []string{
			"Content-Disposition", "Content-Range", "Deprecation", "ETag", "Link", "Location", "Preference-Applied",
			"Retry-After", "Sunset", "WWW-Authenticate", "X-Request-Id",
		},
		MaxAge: preflightAge,
	})
	return func(c *gin.Context) {
		protocol.HandlerFunc(c.Writer, c.Request)
		if c.Request.Method == http.MethodOptions && c.GetHeader("Access-Control-Request-Method") != "" {
			c.Abort()
		}
	}
}

// sameOrigin refuses cross-origin requests of browsers, except safe methods and pages
// of the given origins: a browser sends stored credentials by itself. Other clients do
// not send the headers that identify a browser.
func sameOrigin(origins []string, errs *httpio.ErrorWriter) (gin.HandlerFunc, error) {
	protection := http.NewCrossOriginProtection()
	for _, origin := range origins {
		if err := protection.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("allowing an origin: %w", err)
		}
	}
	return func(c *gin.Context) {
		if err := protection.Check(c.Request); err != nil {
			errs.Write(c, &domain.Error{
				Kind: domain.KindDenied, Code: domain.CodeAccessDenied,
				Message: "the request comes from a page of another origin", Cause: err,
			})
		}
	}, nil
}
