// Package shapeb implements version 2024-06-14 of the API. It only translates:
// every handler decodes a request, calls the operation of the same name in app,
// and encodes the result.
package shapeb

import (
	"context"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// Server carries out the operations of version 2024-06-14. Requests must have
// been authenticated and validated against the contract before they reach it.
type Server struct {
	app  *app.Service
	call func(context.Context) domain.Call
	feed Feed
}

var _ oasb.StrictServerInterface = (*Server)(nil)

// NewServer returns a Server. call returns the call of the request with a context.
func NewServer(service *app.Service, call func(context.Context) domain.Call, feed Feed) *Server {
	return &Server{app: service, call: call, feed: feed}
}

// Register adds the operations to routes, which errs answers failures of.
func (s *Server) Register(routes gin.IRouter, errs *httpio.ErrorWriter) {
	oasb.RegisterHandlersWithOptions(routes, oasb.NewStrictHandler(s, httpio.ModifiedVersion, errs.WithFields(fieldLocations())), oasb.GinServerOptions{ErrorHandler: errs.WriteUnbound})
}
