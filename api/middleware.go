package api

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
)

type recheckKey struct{}

// recheckCaller authenticates the request that ctx belongs to again. It fails when
// the credentials of the request are no longer valid.
func recheckCaller(ctx context.Context) (domain.Caller, error) {
	authenticateAgain, ok := ctx.Value(recheckKey{}).(func(context.Context) (domain.Caller, error))
	if !ok {
		return domain.Caller{}, domain.Unauthenticated()
	}
	return authenticateAgain(ctx)
}

// authenticate refuses requests without valid credentials, or from addresses with
// too many invalid ones. Several Authorization headers are refused as malformed,
// because it is undefined which one counts.
func authenticate(authenticator *authn.Authenticator, errs *httpio.ErrorWriter) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx := c.Request.Context()
		header := strings.Join(c.Request.Header.Values("Authorization"), ", ")
		_, err := chain.SignIn(ctx, header, func() (domain.Caller, error) {
			return authenticator.Authenticate(ctx, header)
		})
		if err != nil {
			errs.Write(c, err)
			return
		}
		c.Request = c.Request.WithContext(context.WithValue(ctx, recheckKey{}, func(ctx context.Context) (domain.Caller, error) {
			return authenticator.Authenticate(ctx, header)
		}))
	}
}

// startOperation counts a request against the limits of its caller, or of its address for paths without credentials.
func startOperation(errs *httpio.ErrorWriter) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := chain.Enter(c.Request.Context()); err != nil {
			errs.Write(c, err)
		}
	}
}
