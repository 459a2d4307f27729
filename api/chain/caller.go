package chain

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Call returns the call of an operation by the request that ctx belongs to. Before SignIn, and without valid credentials,
// it has the zero Caller, to whom no resource is visible.
func Call(ctx context.Context) domain.Call {
	c := callOf(ctx)
	return domain.Call{Caller: c.caller, Precondition: c.precondition}
}

// Require sets the precondition of the request that ctx belongs to.
func Require(ctx context.Context, p domain.Precondition) { callOf(ctx).precondition = p }

// Address returns the address of the client of the request that ctx belongs to, "" if it is not known.
func Address(ctx context.Context) string { return callOf(ctx).auditOrigin().Address }

// SignIn authenticates the caller of the request that ctx belongs to. Credentials of an address with too many invalid ones
// are refused with RATE_LIMITED before they are looked up; a request may have none, "". A refused sign-in is recorded.
func SignIn(ctx context.Context, credentials string, authenticate func() (domain.Caller, error)) (domain.Caller, error) {
	c := callOf(ctx)
	if credentials != "" {
		if domainErr := c.applyVerdict(c.o.Limiter.SignIn(c.clientNetwork(), credentials)); domainErr != nil {
			return domain.Caller{}, domainErr
		}
	}
	caller, err := authenticate()
	// Failures with another cause than the credentials do not count.
	if credentials != "" && (err == nil || domain.HasCode(err, domain.CodeUnauthenticated)) {
		c.o.Limiter.SignedIn(c.clientNetwork(), credentials, err == nil)
	}
	if err != nil {
		if domainErr, ok := errors.AsType[*domain.SignInError](err); ok && c.o.Audit != nil {
			c.o.Audit.SignInRefused(ctx, domainErr, c.auditOrigin())
		}
		return domain.Caller{}, err
	}
	c.caller = caller
	return caller, nil
}

// Trust exempts credentials that the service has just issued from the limit of failed sign-ins.
func Trust(ctx context.Context, credentials string) {
	c := callOf(ctx)
	c.o.Limiter.SignedIn(c.clientNetwork(), credentials, true)
}

// Enter counts the request that ctx belongs to against the limits of its caller, or without one against the limits of its
// address. It is RATE_LIMITED if they are reached.
func Enter(ctx context.Context) error {
	c := callOf(ctx)
	if c.caller.PrincipalID == uuid.Nil {
		return asError(c.applyVerdict(c.o.Limiter.Open(c.clientNetwork())))
	}
	leave, verdict := c.o.Limiter.Enter(c.caller)
	if domainErr := c.applyVerdict(verdict); domainErr != nil {
		return domainErr
	}
	c.leave = append(c.leave, leave)
	return nil
}

func asError(err *domain.Error) error {
	if err == nil {
		return nil
	}
	return err
}
