// Package scim implements the interface by which directories provision the users and groups of a tenant: SCIM 2.0 (RFC 7643, RFC 7644).
package scim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// Path is the path below which the interface is served.
	Path = "/scim/v2"
	// MaxBody bounds a body in bytes: a group with 10,000 members.
	MaxBody = 2 << 20

	mediaType = "application/scim+json"
	tenantKey = "procession/directory"
)

// Options configure a Server. All fields are required.
type Options struct {
	Administration *administration.Service
	Errors         *httpio.ErrorWriter
	// Authenticate returns the tenant of the directory that made a request, and counts the request against its limits.
	Authenticate func(*gin.Context) (domain.DirectoryTenant, error)
	// Call returns the call of the request with a context, Require sets its precondition.
	Call    func(context.Context) domain.Call
	Require func(context.Context, domain.Precondition)
	// BaseURL is the address of the service, "" for relative addresses.
	BaseURL string
}

// Server implements the interface.
type Server struct {
	o    Options
	errs *httpio.ErrorWriter
	base string
}

// NewServer returns a Server.
func NewServer(o Options) *Server {
	return &Server{o: o, errs: o.Errors, base: strings.TrimSuffix(o.BaseURL, "/") + Path}
}

// Register adds the routes.
func (s *Server) Register(engine gin.IRouter) {
	routes := engine.Group(Path, s.authenticate)
	routes.GET("/ServiceProviderConfig", s.showProvider)
	routes.GET("/ResourceTypes", listAll(s, s.resourceTypes))
	routes.GET("/ResourceTypes/:id", showOne(s, s.resourceTypes, func(t resourceType) string { return t.ID }))
	routes.GET("/Schemas", listAll(s, s.schemas))
	routes.GET("/Schemas/:id", showOne(s, s.schemas, func(x schema) string { return x.ID }))
	routes.POST("/.search", s.refuseSearch)
	s.registerKind(routes, userKind())
	s.registerKind(routes, groupKind())
}

func (s *Server) registerKind(routes gin.IRouter, k kind) {
	routes.GET(k.endpoint, s.listKind(k))
	routes.POST(k.endpoint+"/.search", s.searchKind(k))
	routes.POST(k.endpoint, s.createKind(k))
	routes.GET(k.endpoint+"/:id", s.retrieveKind(k))
	routes.PUT(k.endpoint+"/:id", s.replaceKind(k))
	routes.PATCH(k.endpoint+"/:id", s.patchKind(k))
	routes.DELETE(k.endpoint+"/:id", s.removeKind(k))
}

// NotFound answers a path below Path that has no route.
func (s *Server) NotFound(c *gin.Context) { s.writeFailure(c, domain.NotFound("resource")) }

// authenticate refuses requests without the token of a directory.
func (s *Server) authenticate(c *gin.Context) {
	tenant, err := s.o.Authenticate(c)
	if err != nil {
		s.writeFailure(c, err)
		return
	}
	c.Set(tenantKey, tenant)
	precondition, err := httpio.ParsePrecondition(c.Request.Header)
	if err != nil {
		s.writeFailure(c, err)
		return
	}
	if c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		s.o.Require(c.Request.Context(), precondition)
	}
}

// callOf returns the call of an authenticated request.
func (s *Server) callOf(c *gin.Context) administration.DirectoryCall {
	tenant, _ := c.Value(tenantKey).(domain.DirectoryTenant)
	return administration.DirectoryCall{Call: s.o.Call(c.Request.Context()), Tenant: tenant}
}

// writeJSON answers with a body.
func writeJSON(c *gin.Context, status int, body any) {
	c.Abort()
	encoded, err := json.Marshal(body)
	if err != nil {
		c.Status(http.StatusInternalServerError)
		return
	}
	c.Data(status, mediaType, encoded)
}

// readBody decodes the body of a request.
func readBody(c *gin.Context, into any) error {
	if declared := c.GetHeader("Content-Type"); declared != "" {
		media, _, err := mime.ParseMediaType(declared)
		if err != nil || media != mediaType && media != "application/json" {
			return &domain.Error{
				Kind: domain.KindUnsupportedMedia, Code: domain.CodeValidation, Message: "the body must be " + mediaType + " or application/json",
			}
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, MaxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return &domain.Error{Kind: domain.KindTooLarge, Code: domain.CodeValidation, Message: "the body must have at most 2 MiB"}
	}
	if err != nil {
		return refuseAs(errInvalidSyntax, "the body cannot be read")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return refuseAs(errInvalidSyntax, "the body is not JSON of the documented form")
	}
	return nil
}

// idOf returns the id in the path. Another text is the id of no resource.
func idOf(c *gin.Context, k kind) (uuid.UUID, error) {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return uuid.Nil, domain.NotFound(strings.ToLower(string(k.kind)))
	}
	return id, nil
}

// kind contains the differences between users and groups.
type kind struct {
	kind       resource.Kind
	endpoint   string
	schema     string
	attributes []attribute
	// links is the attribute with the links of a resource, and linked the endpoint of their targets.
	links, linked string
	attributesOf  func(*administration.DirectoryResource) object
	create        func(context.Context, *administration.Service, administration.DirectoryCall, object) (*administration.DirectoryResource, error)
	change        func(context.Context, *administration.Service, administration.DirectoryCall, uuid.UUID,
		func(object) (object, error)) (*administration.DirectoryResource, error)
	remove func(context.Context, *administration.Service, administration.DirectoryCall, uuid.UUID) error
}

func userKind() kind {
	return kind{
		kind: resource.KindUser, endpoint: "/Users", schema: userSchema, links: "groups", linked: "/Groups",
		attributes: append(userAttributes(), externalID()),
		attributesOf: func(r *administration.DirectoryResource) object {
			return attributesOfUser(administration.DirectoryUserOf(r))
		},
		create: func(ctx context.Context, a *administration.Service, call administration.DirectoryCall, o object) (*administration.DirectoryResource, error) {
			u, err := userOf(o)
			if err != nil {
				return nil, err
			}
			return a.CreateDirectoryUser(ctx, call, u)
		},
		change: func(ctx context.Context, a *administration.Service, call administration.DirectoryCall, id uuid.UUID,
			attributes func(object) (object, error),
		) (*administration.DirectoryResource, error) {
			return a.ChangeDirectoryUser(ctx, call, id, changeUser(attributes))
		},
		remove: func(ctx context.Context, a *administration.Service, call administration.DirectoryCall, id uuid.UUID) error {
			return a.DeleteDirectoryUser(ctx, call, id)
		},
	}
}

func groupKind() kind {
	return kind{
		kind: resource.KindGroup, endpoint: "/Groups", schema: groupSchema, links: "members", linked: "/Users",
		attributes: append(groupAttributes(), externalID()),
		attributesOf: func(r *administration.DirectoryResource) object {
			return attributesOfGroup(administration.DirectoryGroup{DisplayName: resource.NameOf(r.Spec), ExternalID: r.ExternalID})
		},
		create: func(ctx context.Context, a *administration.Service, call administration.DirectoryCall, o object) (*administration.DirectoryResource, error) {
			g, err := groupOf(o)
			if err != nil {
				return nil, err
			}
			return a.CreateDirectoryGroup(ctx, call, g)
		},
		change: func(ctx context.Context, a *administration.Service, call administration.DirectoryCall, id uuid.UUID,
			attributes func(object) (object, error),
		) (*administration.DirectoryResource, error) {
			return a.ChangeDirectoryGroup(ctx, call, id, changeGroup(attributes))
		},
		remove: func(ctx context.Context, a *administration.Service, call administration.DirectoryCall, id uuid.UUID) error {
			return a.DeleteDirectoryGroup(ctx, call, id)
		},
	}
}
