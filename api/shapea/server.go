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
	app  *app.Service
	call func(context.Context) domain.Call
}

var _ oasa.StrictServerInterface = (*Server)(nil)

// NewServer returns a Server. call returns the call of the request with a context.
func NewServer(service *app.Service, call func(context.Context) domain.Call) *Server {
	return &Server{app: service, call: func(ctx context.Context) domain.Call {
		c := call(ctx)
		c.Names = true
		return c
	}}
}

// Register adds the operations to routes. errs answers failures. Resources of this
// version contain the names of their references.
func (s *Server) Register(routes gin.IRouter, errs *httpio.ErrorWriter) {
	oasa.RegisterHandlersWithOptions(routes, oasa.NewStrictHandler(s, httpio.ModifiedVersion, errs.WithFields(fieldLocations())), oasa.GinServerOptions{ErrorHandler: errs.WriteUnbound})
}
