package main

import (
	"context"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/cmd/procession/doctor"
	"github.com/procession-dev/procession/domain"
)

const (
	// untrustedKept is how long the doctor warns of a proxy after its last request.
	untrustedKept = time.Hour
	// untrustedRenewed is how exactly the time of the last request is known.
	untrustedRenewed = time.Minute
)

// untrustedProxies remembers the last peer that sent X-Forwarded-For and is no trusted proxy. It is safe for concurrent
// use.
type untrustedProxies struct {
	last atomic.Pointer[untrustedProxy]
}

type untrustedProxy struct {
	peer netip.Addr
	at   time.Time
}

// note returns a function that remembers a peer, and logs one after an hour without.
func (u *untrustedProxies) note(log *slog.Logger, clock func() time.Time) func(netip.Addr) {
	return func(peer netip.Addr) {
		now, last := clock(), u.last.Load()
		if last != nil && now.Sub(last.at) < untrustedRenewed {
			return
		}
		if u.last.CompareAndSwap(last, &untrustedProxy{peer: peer, at: now}) && (last == nil || now.Sub(last.at) > untrustedKept) {
			log.Warn("X-Forwarded-For comes from a peer that is not in --trusted-proxies", slog.String("peer", peer.String()))
		}
	}
}

// find returns the last peer, and the zero time if there was none within the hour.
func (u *untrustedProxies) find(now time.Time) (peer string, at time.Time) {
	last := u.last.Load()
	if last == nil || now.Sub(last.at) > untrustedKept {
		return "", time.Time{}
	}
	return last.peer.String(), last.at
}

// examine carries out the checks of the doctor, with the observations of the running service.
func (s *service) examine(ctx context.Context) []domain.Finding {
	options := s.config.doctor(time.Now)
	options.UntrustedProxy = func() (string, time.Time) { return s.untrusted.find(time.Now()) }
	return doctor.Examine(ctx, options)
}
