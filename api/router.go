// Package api puts the REST interface together: which request goes where, and
// what it passes on the way.
package api

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/api/shapeb"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/authn"
)

// Options are what the REST interface is made of. All fields are required
// unless their comment says otherwise.
type Options struct {
	Service       *app.Service
	Authenticator *authn.Authenticator
	// Issuer publishes the keys that engine tokens are verified with.
	Issuer *authn.Issuer
	Log    *slog.Logger
	Clock  func() time.Time
	// BodyLimit is the size in bytes that a body may have, 0 for
	// httpio.DefaultBodyLimit.
	BodyLimit int64
	// Observe is told of every answer, and may be nil. The route is its pattern,
	// "unmatched" for a path that there is none for.
	Observe func(method, route string, status int, took time.Duration)
	// DevCA is the certificate, in PEM, of the authority behind a development
	// certificate. It is served when it is not empty.
	DevCA []byte
}

// NewRouter makes the handler of the whole REST interface. Requests of Shape B
// are checked in this order: size of the body, credentials, contract. So a
// caller without valid credentials learns nothing of what else is wrong.
func NewRouter(o Options) (http.Handler, error) {
	if o.BodyLimit == 0 {
		o.BodyLimit = httpio.DefaultBodyLimit
	}
	errs := httpio.NewErrorWriter(o.Log, o.Clock)
	document, err := openapi.Load(openapi.ShapeB)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	base, err := httpio.BasePath(document)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	validator, err := httpio.NewValidator(document, errs, o.BodyLimit)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	source, err := openapi.Files.ReadFile(openapi.ShapeB)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}

	engine := httpio.NewEngine(errs, o.Log, o.Clock)
	// The address of a caller decides nothing, so no header about it is believed.
	if err := engine.SetTrustedProxies(nil); err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	if o.Observe != nil {
		engine.Use(observe(o.Observe, o.Clock))
	}

	engine.GET("/openapi/"+openapi.ShapeB, publish("application/yaml", revalidated, fixed(source)))
	// Temporal and its proxies verify engine tokens with these.
	engine.GET("/.well-known/jwks.json", publish("application/json", "public, max-age=60", o.Issuer.JWKS))
	if len(o.DevCA) > 0 {
		engine.GET("/dev/ca.pem", publish("application/x-pem-file", revalidated, fixed(o.DevCA)))
	}

	b := engine.Group(base)
	b.Use(limitBody(o.BodyLimit, errs), authenticate(o.Authenticator, errs), validator.Handle)
	strict := oasb.NewStrictHandlerWithOptions(shapeb.NewServer(o.Service, callerOf), nil, oasb.StrictGinServerOptions{
		RequestErrorHandlerFunc: errs.WriteUnreadable, HandlerErrorFunc: errs.Write, ResponseErrorHandlerFunc: errs.Write,
	})
	oasb.RegisterHandlersWithOptions(b, strict, oasb.GinServerOptions{ErrorHandler: errs.WriteUnbound})

	return httpio.Handler(engine)
}

// revalidated lets caches keep an answer if they ask whether it still holds.
const revalidated = "no-cache"

func fixed(content []byte) func() []byte { return func() []byte { return content } }

// publish answers with a document that everybody may read.
func publish(mediaType, caching string, content func() []byte) gin.HandlerFunc {
	return func(c *gin.Context) {
		body := content()
		etag := fmt.Sprintf(`"%x"`, sha256.Sum256(body))
		c.Header("Cache-Control", caching)
		c.Header("ETag", etag)
		if c.GetHeader("If-None-Match") == etag {
			c.Status(http.StatusNotModified)
			return
		}
		c.Data(http.StatusOK, mediaType, body)
	}
}
