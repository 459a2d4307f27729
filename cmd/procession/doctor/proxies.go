package doctor

import (
	"context"
	"strings"
	"time"
)

// checkProxies warns of a proxy that the service does not know: all its clients are one address to the limits, and one of
// them can keep the others from signing in.
func (d *doctor) checkProxies(context.Context) Finding {
	if d.UntrustedProxy != nil {
		if peer, at := d.UntrustedProxy(); !at.IsZero() {
			return warn("if it is a proxy of yours, add it to --trusted-proxies: until then its clients share the limits of one address",
				"%s sends X-Forwarded-For and is not a trusted proxy; last at %s", peer, at.UTC().Format(time.RFC3339))
		}
	}
	if len(d.TrustedProxies) == 0 {
		return ok("no untrusted proxy is known")
	}
	return ok("trusted: %s", strings.Join(d.TrustedProxies, ", "))
}
