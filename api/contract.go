package api

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/admin"
	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/api/shapea"
	"github.com/procession-dev/procession/api/shapeb"
)

// contract is an OpenAPI document and the server that implements it.
type contract struct {
	document string // its name within openapi.Files
	server   server
	// bodyLimit is the maximum size of a body in bytes, if larger than the limit in
	// Options.
	bodyLimit int64
	// first are the handlers before those common to all contracts.
	first []gin.HandlerFunc
}

// server implements the operations of one contract.
type server interface {
	// Register adds the routes of all operations, relative to the base path of the
	// contract.
	Register(routes gin.IRouter, errs *httpio.ErrorWriter)
}

// Part selects the contracts that a router serves.
type Part int

// The parts that may have a listener of their own.
const (
	Everything Part = iota
	WithoutAdministration
	Administration
)

// listContracts returns the contracts of the part.
func listContracts(o Options) []contract {
	return slices.DeleteFunc([]contract{
		{
			document: openapi.ShapeA, server: shapea.NewServer(o.Service, chain.Call),
			first: []gin.HandlerFunc{newDeprecation(o.Deprecation, openapi.ShapeB)},
		},
		{document: openapi.ShapeB, server: shapeb.NewServer(o.Service, chain.Call, shapeb.Feed{
			Hub: o.Feed, Recheck: recheckCaller, Heartbeat: cmp.Or(o.Heartbeat, shapeb.DefaultHeartbeat),
			Stall: cmp.Or(o.Stall, shapeb.DefaultStall),
		})},
		{document: openapi.Admin, server: admin.NewServer(o.Administration, o.Service, o.Bulk, chain.Call), bodyLimit: admin.BodyLimit},
	}, func(c contract) bool {
		return o.Part != Everything && (c.document == openapi.Admin) != (o.Part == Administration)
	})
}

// mountContract adds the operations of a contract below the path of the document's first
// server. Requests are checked in this order:
// credentials, size of the body, rate of the caller, contract, preconditions.
func mountContract(engine *gin.Engine, c contract, o Options, errs *httpio.ErrorWriter) error {
	document, err := openapi.Load(c.document)
	if err != nil {
		return fmt.Errorf("mounting %s: %w", c.document, err)
	}
	base, err := httpio.BasePath(document)
	if err != nil {
		return fmt.Errorf("mounting %s: %w", c.document, err)
	}
	validator, err := httpio.NewValidator(document, errs, httpio.Limits{
		JSON: max(c.bodyLimit, o.BodyLimit), Document: o.DocumentLimit,
	})
	if err != nil {
		return fmt.Errorf("mounting %s: %w", c.document, err)
	}
	routes := engine.Group(base, c.first...)
	routes.Use(authenticate(o.Authenticator, errs), validator.LimitBody, startOperation(errs),
		validator.Handle, validator.Tag, validator.Require(chain.Require, newReader(c, base, validator, errs)))
	c.server.Register(routes, errs)
	return nil
}

// newReader returns the contract without the handlers before its operations, for reads
// within a request that has passed them.
func newReader(c contract, base string, validator *httpio.Validator, errs *httpio.ErrorWriter) http.Handler {
	engine := gin.New()
	c.server.Register(engine.Group(base, validator.Tag), errs)
	return engine
}
