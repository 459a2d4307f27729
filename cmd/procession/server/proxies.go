package server

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
	// untrustedKept is how long doctor warns about a peer after its last request.
	untrustedKept = time.Hour
	// untrustedRenewed is the precision of the time of the last request.
	untrustedRenewed = time.Minute
)

// untrustedProxies records the last untrusted peer that sent X-Forwarded-For. It is safe for concurrent use.
type untrustedProxies struct {
	last atomic.Pointer[untrustedProxy]
}

type untrustedProxy struct {
	peer netip.Addr
	at   time.Time
}

// newRecorder returns a function that records a peer, and logs it if there was none within an hour.
func (u *untrustedProxies) newRecorder(log *slog.Logger, clock func() time.Time) func(netip.Addr) {
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

// lastPeer returns the last peer within an hour, "" for none.
func (u *untrustedProxies) lastPeer(now time.Time) (peer string, at time.Time) {
	last := u.last.Load()
	if last == nil || now.Sub(last.at) > untrustedKept {
		return "", time.Time{}
	}
	return last.peer.String(), last.at
}

// examineService runs the checks of doctor with the observations of this replica.
func (s *Service) examineService(ctx context.Context) []domain.Finding {
	options := DoctorOptions(s.config, time.Now)
	options.UntrustedProxy = func() (string, time.Time) { return s.untrusted.lastPeer(time.Now()) }
	return doctor.Examine(ctx, options)
}
