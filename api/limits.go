package api

import (
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/domain"
)

// limits are the middlewares that limit the requests of callers.
type limits struct {
	limiter *limit.Limiter // nil for no limits
	proxies httpio.Proxies
	errs    *httpio.ErrorWriter
	// refused is called for every refusal, and may be nil.
	refused func(limit string)
}

// caller is the middleware for requests of authenticated callers.
func (l *limits) caller(c *gin.Context) {
	leave, verdict := l.limiter.Enter(callerOf(c.Request.Context()))
	if !l.apply(c, verdict) {
		return
	}
	defer leave()
	c.Next()
}

// open is the middleware for paths without credentials.
func (l *limits) open(c *gin.Context) {
	l.apply(c, l.limiter.Open(l.network(c.Request)))
}

// signIn reports whether the credentials of the request, which comes from a
// network, may be looked up. It answers the request if they may not.
func (l *limits) signIn(c *gin.Context, from netip.Prefix, credentials string) bool {
	return l.apply(c, l.limiter.SignIn(from, credentials))
}

// signedIn records the outcome of an authentication. Failures with another
// cause than the credentials do not count.
func (l *limits) signedIn(from netip.Prefix, credentials string, err error) {
	if err == nil || domain.HasCode(err, domain.CodeUnauthenticated) {
		l.limiter.SignedIn(from, credentials, err == nil)
	}
}

func (l *limits) network(r *http.Request) netip.Prefix {
	return httpio.Network(l.proxies.Client(r))
}

// refusal returns the error text of a limit.
func refusal(name string) string {
	switch name {
	case limit.Tenant:
		return "too many requests in your tenant"
	case limit.Concurrency:
		return "too many concurrent requests"
	case limit.Address:
		return "too many requests from your address"
	case limit.SignIn:
		return "too many failed sign-ins from your address"
	default:
		return "too many requests"
	}
}

// apply adds the headers of the limit, and refuses the request of a caller that
// has reached it.
func (l *limits) apply(c *gin.Context, verdict limit.Verdict) bool {
	if verdict.Policy.Quota > 0 && verdict.Low() {
		header := c.Writer.Header()
		header.Set("RateLimit-Policy", policyField(verdict.Policy))
		header.Set("RateLimit", stateField(verdict))
	}
	if verdict.Allowed {
		return true
	}
	if l.refused != nil {
		l.refused(verdict.Policy.Name)
	}
	c.Header("Retry-After", strconv.Itoa(max(1, seconds(verdict.Wait))))
	l.errs.Write(c, &domain.Error{
		Kind: domain.KindRateLimited, Code: domain.CodeRateLimited, Message: refusal(verdict.Policy.Name),
	})
	return false
}

// policyField returns a value of RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers).
func policyField(p limit.Policy) string {
	if p.Window == 0 {
		return fmt.Sprintf(`"%s";q=%d;qu="concurrent-requests"`, p.Name, p.Quota)
	}
	return fmt.Sprintf(`"%s";q=%d;w=%d`, p.Name, p.Quota, seconds(p.Window))
}

// stateField returns a value of RateLimit, with the time to wait if there is one.
func stateField(v limit.Verdict) string {
	field := fmt.Sprintf(`"%s";r=%d`, v.Policy.Name, v.Remaining)
	if v.Wait > 0 {
		field += fmt.Sprintf(";t=%d", seconds(v.Wait))
	}
	return field
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
