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
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/domain"
)

// BodyLimit is the maximum size of a body in bytes: one request may apply all
// resources of a tenant.
const BodyLimit = 16 << 20

// Server implements the operations of the administration API. Requests must
// have been authenticated and validated against the contract before they reach
// it.
type Server struct {
	administration *administration.Service
	// app implements the operations on a process with its definition.
	app  *app.Service
	bulk *bulk.Service
	call func(context.Context) domain.Call
}

var _ StrictServerInterface = (*Server)(nil)

// NewServer returns a Server. call returns the call of the request with a context.
func NewServer(
	administration *administration.Service, service *app.Service, bulk *bulk.Service, call func(context.Context) domain.Call,
) *Server {
	return &Server{administration: administration, app: service, bulk: bulk, call: call}
}

// Register adds the operations to routes, which errs answers failures of.
func (s *Server) Register(routes gin.IRouter, errs *httpio.ErrorWriter) {
	RegisterHandlersWithOptions(routes, NewStrictHandler(s, versionOf, errs.WithFields(fieldLocations())), GinServerOptions{ErrorHandler: errs.WriteUnbound})
}
