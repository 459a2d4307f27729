package chain

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/domain"
)

// refusalMessage returns the error text of a limit.
func refusalMessage(name string) string {
	switch name {
	case limit.Tenant:
		return "too many requests in your tenant"
	case limit.Concurrency:
		return "too many concurrent requests"
	case limit.Address:
		return "too many requests from your address"
	case limit.AddressConcurrency:
		return "too many concurrent requests from your address"
	case limit.SignIn:
		return "too many failed sign-ins from your address"
	default:
		return "too many requests"
	}
}

// applyVerdict adds the headers of a limit to the answer, and returns an error if the request is refused because of it.
func (c *call) applyVerdict(verdict limit.Verdict) *domain.Error {
	if verdict.Policy.Quota > 0 && verdict.Low() {
		c.header.Set("RateLimit-Policy", policyField(verdict.Policy))
		c.header.Set("RateLimit", stateField(verdict))
	}
	if verdict.Allowed {
		return nil
	}
	if c.o.Limited != nil {
		c.o.Limited(verdict.Policy.Name)
	}
	c.header.Set("Retry-After", strconv.Itoa(max(1, wholeSeconds(verdict.Wait))))
	return &domain.Error{
		Kind: domain.KindRateLimited, Code: domain.CodeRateLimited, Message: refusalMessage(verdict.Policy.Name),
	}
}

// policyField returns a value of RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers).
func policyField(p limit.Policy) string {
	if p.Window == 0 {
		return fmt.Sprintf(`"%s";q=%d;qu="concurrent-requests"`, p.Name, p.Quota)
	}
	return fmt.Sprintf(`"%s";q=%d;w=%d`, p.Name, p.Quota, wholeSeconds(p.Window))
}

// stateField returns a value of RateLimit, with the time to wait if there is one.
func stateField(v limit.Verdict) string {
	field := fmt.Sprintf(`"%s";r=%d`, v.Policy.Name, v.Remaining)
	if v.Wait > 0 {
		field += fmt.Sprintf(";t=%d", wholeSeconds(v.Wait))
	}
	return field
}

func wholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
