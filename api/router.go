// Package api puts the REST interface together: which request goes where, and
// what it passes on the way.
package api

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/audit"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/feed"
)

// Options configure the REST interface. All fields are required unless their
// comment says otherwise.
type Options struct {
	Service *app.Service
	// Administration carries out what administrators ask for.
	Administration *administer.Administration
	// Revocations are the revocations of engine tokens.
	Revocations   *authn.Revocations
	Authenticator *authn.Authenticator
	// Issuer publishes the keys that engine tokens are verified with.
	Issuer *authn.Issuer
	Log    *slog.Logger
	Clock  func() time.Time
	// BodyLimit is the size in bytes that a body may have, 0 for
	// httpio.DefaultBodyLimit.
	BodyLimit int64
	// DocumentLimit is the size in bytes that a document may have, 0 for
	// storage.DefaultMaxDocumentBytes. The service has to know the same.
	DocumentLimit int64
	// Stall is how long a client may send or read almost nothing of a body, 0
	// for a minute, or not read a stream of events, 0 for shapeb.DefaultStall.
	Stall time.Duration
	// Feed notifies streams of new events.
	Feed *feed.Hub
	// Audit records refused sign-ins and denied requests, and may be nil.
	Audit *audit.Recorder
	// Heartbeat is how often a stream of events shows that it is alive, 0 for
	// shapeb.DefaultHeartbeat.
	Heartbeat time.Duration
	// Observe is called for every answer, and may be nil. The method is that of
	// httpio.MethodLabel; the route is its pattern, "unmatched" for a path without one.
	Observe func(method, route string, status int, took time.Duration)
	// Part selects the contracts to serve: all of them, unless administration
	// has a router of its own.
	Part Part
	// Limiter bounds what callers may ask for; nil for no bounds. Routers of one
	// service share it.
	Limiter *limit.Limiter
	// Limited is called with the name of the limit for every request that is refused
	// because of one, and may be nil.
	Limited func(limit string)
	// TrustedProxies are believed about the addresses of clients; nil for none.
	TrustedProxies httpio.Proxies
	// DevCA is the certificate, in PEM, of the authority behind a development
	// certificate. It is served when it is not empty.
	DevCA []byte
	// Hosts reports whether requests with a Host header are answered, and may be nil:
	// then all are.
	Hosts func(host string) bool
	// Origins are the origins of pages, such as https://desk.example.com, whose programs may
	// use the interface with credentials of their own; empty for none.
	Origins []string
	// Deprecation is the deprecation of Shape A, and may be zero.
	Deprecation Deprecation
}

// NewRouter returns the handler of the whole REST interface: the contracts and
// the public documents. A caller without valid credentials gets no other error
// of a request of a contract.
func NewRouter(o Options) (http.Handler, error) {
	if o.BodyLimit == 0 {
		o.BodyLimit = httpio.DefaultBodyLimit
	}
	o.DocumentLimit = cmp.Or(o.DocumentLimit, storage.DefaultMaxDocumentBytes)
	if err := o.Deprecation.check(); err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	errs := httpio.NewErrorWriter(o.Log, o.Clock)
	engine := httpio.NewEngine(errs, o.Log, o.Clock, callerAttrs(o.TrustedProxies))
	// Gin's own notion of the client is not used: of several X-Forwarded-For it reads
	// the first.
	if err := engine.SetTrustedProxies(nil); err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	if o.Observe != nil {
		engine.Use(observe(o.Observe, o.Clock))
	}
	if o.Hosts != nil {
		engine.Use(onlyHosts(o.Hosts, errs))
	}
	if len(o.Origins) > 0 {
		engine.Use(allowOrigins(o.Origins))
	}
	protection, err := sameOrigin(o.Origins, errs)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	engine.Use(protection)

	limits := &limits{limiter: o.Limiter, proxies: o.TrustedProxies, errs: errs, refused: o.Limited}
	served := contracts(o)
	for _, c := range served {
		if err := mount(engine, c, o, limits, errs); err != nil {
			return nil, fmt.Errorf("making the router: %w", err)
		}
	}
	open := engine.Group("", limits.open)
	if err := publishContracts(open, served); err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	publishSchemas(open)
	if o.Part != Administration {
		// Temporal and its proxies verify engine tokens with these.
		open.GET("/.well-known/jwks.json", publish("application/json", "public, max-age=60", o.Issuer.JWKS))
		open.GET("/.well-known/engine-revocations.json", publishRevocations(o.Revocations, errs))
		if len(o.DevCA) > 0 {
			open.GET("/dev/ca.pem", publish("application/x-pem-file", revalidated, constant(o.DevCA)))
		}
	}

	handler, err := httpio.Handler(engine)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	return httpio.GuardAnswers(handler, o.Stall), nil
}

// publishSchemas adds the JSON Schemas of documents, for editors.
func publishSchemas(routes gin.IRouter) {
	const base, mediaType, caching = "/schemas/" + resource.APIVersion + "/", "application/schema+json", "public, max-age=3600"
	routes.GET(base+"resource.json", publish(mediaType, caching, resource.SchemaOfAny))
	for _, kind := range resource.Kinds() {
		routes.GET(base+string(kind)+".json", publish(mediaType, caching, constant(resource.Schema(kind))))
	}
}

// revalidated lets caches store an answer if they revalidate it each time.
const revalidated = "no-cache"

func constant(content []byte) func() []byte { return func() []byte { return content } }

// publishRevocations answers with the tokens that Temporal must refuse. Caches
// must not store it for long. If the list is not loaded, the answer is an
// error, because an empty list would be believed.
func publishRevocations(revocations *authn.Revocations, errs *httpio.ErrorWriter) gin.HandlerFunc {
	return func(c *gin.Context) {
		document := revocations.Document()
		if document == nil {
			errs.Write(c, &domain.Error{
				Kind: domain.KindUnavailable, Code: domain.CodeUnavailable, Message: "the revocations are not known yet",
			})
			return
		}
		publish("application/json", "public, max-age=5", constant(document))(c)
	}
}

// publish answers with a document that everybody may read.
func publish(mediaType, caching string, content func() []byte) gin.HandlerFunc {
	return func(c *gin.Context) {
		body := content()
		etag := fmt.Sprintf(`"%x"`, sha256.Sum256(body))
		c.Header("Cache-Control", caching)
		c.Header("ETag", etag)
		if httpio.NotModified(c.Request.Header.Values("If-None-Match"), etag) {
			c.Status(http.StatusNotModified)
			return
		}
		c.Data(http.StatusOK, mediaType, body)
	}
}
