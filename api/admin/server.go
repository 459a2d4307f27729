// Package admin implements the administration API. It only translates: every
// handler decodes a request, calls the operation of the same name in
// administer, and encodes the result.
package admin

import (
	"context"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// BodyLimit is the maximum size of a body in bytes: one request may apply all
// resources of a tenant.
const BodyLimit = 16 << 20

// Server implements the operations of the administration API. Requests must
// have been authenticated and validated against the contract before they reach
// it.
type Server struct {
	administration *administration.Administration
	// app implements the operations on a process with its definition.
	app    *app.Service
	caller func(context.Context) domain.Caller
}

var _ StrictServerInterface = (*Server)(nil)

// NewServer returns a Server. caller finds the authenticated caller of the
// request that a context belongs to.
func NewServer(
	administration *administration.Administration, service *app.Service, caller func(context.Context) domain.Caller,
) *Server {
	return &Server{administration: administration, app: service, caller: caller}
}

// Register adds the operations to routes, which errs answers failures of.
func (s *Server) Register(routes gin.IRouter, errs *httpio.ErrorWriter) {
	RegisterHandlersWithOptions(routes, NewStrictHandler(s, versionOf, errs.WithFields(fieldLocations())), GinServerOptions{ErrorHandler: errs.WriteUnbound})
}
