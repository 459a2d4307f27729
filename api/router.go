// Package api assembles the REST interface: the routes of the contracts and the
// middlewares of each.
package api

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/scim"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/events/feed"
)

// Options configure the REST interface and the chain in front of it. All fields are
// required unless their comment says otherwise.
type Options struct {
	// Of the options of the chain, the interface itself uses Log, Clock and, for streams of
	// events, Stall.
	chain.Options

	Service *app.Service
	// Administration implements the operations of administrators.
	Administration *administration.Service
	// Bulk implements bulk operations.
	Bulk *bulk.Service
	// Revocations are the revocations of engine tokens.
	Revocations   *authn.Revocations
	Authenticator *authn.Authenticator
	// Issuer publishes the keys that engine tokens are verified with.
	Issuer *authn.Issuer
	// BodyLimit is the size in bytes that a body may have, 0 for
	// httpio.DefaultBodyLimit.
	BodyLimit int64
	// DocumentLimit is the size in bytes that a document may have, 0 for
	// storage.DefaultMaxDocumentBytes. The service has to know the same.
	DocumentLimit int64
	// Feed notifies streams of new events.
	Feed *feed.Hub
	// Heartbeat is how often a stream of events shows that it is alive, 0 for
	// shapeb.DefaultHeartbeat.
	Heartbeat time.Duration
	// Part selects the contracts to serve: all of them, unless administration
	// has a router of its own.
	Part Part
	// DevCA is the certificate, in PEM, of the authority behind a development
	// certificate. It is served when it is not empty.
	DevCA []byte
	// Origins are the origins of pages, such as https://desk.example.com, with access to the
	// interface by credentials of their own; empty for none.
	Origins []string
	// Directories identifies directories by their tokens. Without it directories are not served.
	Directories *authn.Directories
	// BaseURL is the address of the service, "" for relative addresses in the answers to directories.
	BaseURL string
	// Deprecation is the deprecation of Shape A, and may be zero.
	Deprecation Deprecation
}

// Router is the handler of the REST interface. It must be served behind a chain.Chain.
type Router struct {
	http.Handler

	engine *gin.Engine
}

// Routes returns the methods and the patterns of all routes.
func (r *Router) Routes() []string {
	var routes []string
	for _, route := range r.engine.Routes() {
		routes = append(routes, route.Method+" "+route.Path)
	}
	return routes
}

// NewRouter returns the handler of the whole REST interface: the contracts and
// the public documents. A caller without valid credentials gets no other error
// of a request of a contract.
func NewRouter(o Options) (*Router, error) {
	if o.BodyLimit == 0 {
		o.BodyLimit = httpio.DefaultBodyLimit
	}
	o.DocumentLimit = cmp.Or(o.DocumentLimit, storage.DefaultMaxDocumentBytes)
	if err := o.Deprecation.checkDates(); err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	errs := httpio.NewErrorWriter(o.Log, o.Clock)
	engine := httpio.NewEngine(errs)
	// Gin's own notion of the client is not used: of several X-Forwarded-For it reads
	// the first.
	if err := engine.SetTrustedProxies(nil); err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	if len(o.Origins) > 0 {
		engine.Use(allowOrigins(o.Origins))
	}
	protection, err := sameOrigin(o.Origins, errs)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	engine.Use(protection)

	served := listContracts(o)
	for _, c := range served {
		if err := mountContract(engine, c, o, errs); err != nil {
			return nil, fmt.Errorf("making the router: %w", err)
		}
	}
	if o.Part != Administration && o.Directories != nil {
		mountDirectories(engine, o, errs)
	}
	open := engine.Group("", startOperation(errs))
	if err := publishContracts(open, served); err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	publishSchemas(open)
	if o.Part != Administration {
		// Temporal and its proxies verify engine tokens with these.
		open.GET("/.well-known/jwks.json", publishContent("application/json", "public, max-age=60", o.Issuer.JWKS))
		open.GET("/.well-known/engine-revocations.json", publishRevocations(o.Revocations, errs))
		if len(o.DevCA) > 0 {
			open.GET("/dev/ca.pem", publishContent("application/x-pem-file", revalidated, constantContent(o.DevCA)))
		}
	}

	handler, err := httpio.Handler(engine)
	if err != nil {
		return nil, fmt.Errorf("making the router: %w", err)
	}
	return &Router{Handler: handler, engine: engine}, nil
}

// mountDirectories adds the interface of directories. Its credentials are valid there only.
func mountDirectories(engine *gin.Engine, o Options, errs *httpio.ErrorWriter) {
	server := scim.NewServer(scim.Options{
		Administration: o.Administration, Errors: errs, Call: chain.Call, Require: chain.Require, BaseURL: o.BaseURL,
		Authenticate: func(c *gin.Context) (tenant domain.DirectoryTenant, err error) {
			ctx := c.Request.Context()
			header := strings.Join(c.Request.Header.Values("Authorization"), ", ")
			_, err = chain.SignIn(ctx, header, func() (domain.Caller, error) {
				tenant, err = o.Directories.Authenticate(ctx, header)
				return tenant.Caller(), err
			})
			if err != nil {
				return tenant, err
			}
			return tenant, chain.Enter(ctx)
		},
	})
	server.Register(engine)
	engine.NoRoute(func(c *gin.Context) {
		if strings.HasPrefix(c.Request.URL.Path, scim.Path+"/") {
			server.NotFound(c)
			return
		}
		errs.NotFound(c)
	})
}

// publishSchemas adds the JSON Schemas of documents, for editors.
func publishSchemas(routes gin.IRouter) {
	const base, mediaType, caching = "/schemas/" + resource.APIVersion + "/", "application/schema+json", "public, max-age=3600"
	routes.GET(base+"resource.json", publishContent(mediaType, caching, resource.SchemaOfAny))
	for _, kind := range resource.Kinds() {
		routes.GET(base+string(kind)+".json", publishContent(mediaType, caching, constantContent(resource.Schema(kind))))
	}
}

// revalidated lets caches store an answer if they revalidate it each time.
const revalidated = "no-cache"

func constantContent(content []byte) func() []byte { return func() []byte { return content } }

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
		publishContent("application/json", "public, max-age=5", constantContent(document))(c)
	}
}

// publishContent answers with a document that everybody may read.
func publishContent(mediaType, caching string, content func() []byte) gin.HandlerFunc {
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
