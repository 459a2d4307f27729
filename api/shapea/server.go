// Package shapea implements version 2022-10-08 of the API. It only translates:
// every handler decodes a request, calls the operation of the same name in app,
// and encodes the result.
package shapea

import (
	"context"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// Server implements the operations of version 2022-10-08. Requests must have
// been authenticated and validated against the contract before they reach it.
type Server struct {
	app    *app.Service
	caller func(context.Context) domain.Caller
}

var _ oasa.StrictServerInterface = (*Server)(nil)

// NewServer returns a Server. caller finds the authenticated caller of the
// request that a context belongs to.
func NewServer(service *app.Service, caller func(context.Context) domain.Caller) *Server {
	return &Server{app: service, caller: caller}
}

// Register adds the operations to routes. errs answers failures. Resources of this
// version contain the names of their references.
func (s *Server) Register(routes gin.IRouter, errs *httpio.ErrorWriter) {
	withNames := func(c *gin.Context) { c.Request = c.Request.WithContext(app.WithNames(c.Request.Context())) }
	oasa.RegisterHandlersWithOptions(routes, oasa.NewStrictHandler(s, httpio.ModifiedVersion, errs.WithFields(fieldLocations())), oasa.GinServerOptions{
		ErrorHandler: errs.WriteUnbound, Middlewares: []oasa.MiddlewareFunc{withNames},
	})
}
