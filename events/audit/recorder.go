package audit

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// DefaultInterval is the default time between two writes.
	DefaultInterval = time.Minute
	// maxEntries bounds the distinct refusals of one kind that are counted separately between two writes, maxPerSource
	// the ones of one network or principal. Further ones share one count.
	maxEntries   = 200
	maxPerSource = 20
	// maxLines bounds the log lines of one reason and network between two writes,
	// maxAllLines the log lines in all.
	maxLines    = 10
	maxAllLines = 300
	// maxShown bounds claims of a token in the log, in bytes.
	maxShown = 200
	// writeTimeout bounds one write, lastWrite the one on shutdown.
	writeTimeout = 30 * time.Second
	lastWrite    = 5 * time.Second
)

// Options configure a Recorder. All are required but Count.
type Options struct {
	DB     *persistence.DB
	Clock  func() time.Time
	Logger *slog.Logger
	// Count is called for every refused sign-in, and may be nil.
	Count func(domain.SignInReason)
}

// Origin is where a request came from.
type Origin struct {
	// Address is the IP address of the peer, empty if it is not known.
	Address   string
	RequestID string
}

// Denial is a request that its caller may not make.
type Denial struct {
	Caller domain.Caller
	// Operation is the method and the pattern of the path.
	Operation string
	// Kind and ID identify the resource, which is visible to the caller; both are
	// empty for an operation without a resource.
	Kind domain.EventResource
	ID   uuid.UUID
}

// Recorder collects refusals. It is safe for concurrent use.
type Recorder struct {
	o Options

	mu      sync.Mutex
	signIns tally[signInKey]
	denials tally[denialKey]
	lines   map[lineKey]int
	logged  int
	// unlogged counts the refused sign-ins without a log line.
	unlogged int
}

type signInKey struct {
	reason    domain.SignInReason
	issuer    string
	subject   string
	principal uuid.UUID
	tenant    uuid.UUID
	network   string
}

type denialKey struct {
	principal uuid.UUID
	operation string
	kind      domain.EventResource
	id        uuid.UUID
	network   string
}

type lineKey struct {
	reason  domain.SignInReason
	network string
}

// New returns a Recorder. Run writes the collected refusals.
func New(o Options) *Recorder {
	if o.Count == nil {
		o.Count = func(domain.SignInReason) {}
	}
	return &Recorder{o: o, lines: map[lineKey]int{}}
}

// SignInRefused records a refused sign-in. A request without credentials is only
// counted, because it is not an attempt to sign in.
func (r *Recorder) SignInRefused(ctx context.Context, denial *domain.SignInError, from Origin) {
	r.o.Count(denial.Reason)
	if denial.Reason == domain.SignInMissing {
		return
	}
	network := networkOf(from.Address)
	key := signInKey{
		reason: denial.Reason, subject: denial.Subject, principal: denial.PrincipalID, tenant: denial.TenantID,
		network: network,
	}
	if denial.Reason != domain.SignInUnknownIssuer && denial.Reason != domain.SignInMalformed {
		// The claims of a token that no known issuer signed are not trustworthy.
		key.issuer = denial.Issuer
	}
	r.mu.Lock()
	r.signIns.addEntry(key, signInKey{reason: denial.Reason}, network, r.o.Clock(), from, denial.TenantCodes, domain.Caller{})
	write := r.admitLine(lineKey{denial.Reason, network})
	r.mu.Unlock()
	if write {
		r.o.Logger.LogAttrs(ctx, slog.LevelWarn, "sign-in refused",
			slog.String("reason", string(denial.Reason)),
			slog.String("issuer", shortenText(denial.Issuer)),
			slog.String("subject", denial.Subject),
			slog.String("principal_id", idText(denial.PrincipalID)),
			slog.String("address", from.Address),
			slog.String("request_id", from.RequestID),
		)
	}
}

// Denied records a request that was refused with ACCESS_DENIED.
func (r *Recorder) Denied(d Denial, from Origin) {
	key := denialKey{
		principal: d.Caller.PrincipalID, operation: d.Operation, kind: d.Kind, id: d.ID, network: networkOf(from.Address),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.denials.addEntry(key, denialKey{principal: d.Caller.PrincipalID}, d.Caller.PrincipalID.String(), r.o.Clock(), from, nil, d.Caller)
}

// admitLine reports whether a log line may be written. The caller holds the lock.
func (r *Recorder) admitLine(key lineKey) bool {
	if r.logged >= maxAllLines || r.lines[key] >= maxLines {
		r.unlogged++
		return false
	}
	r.lines[key]++
	r.logged++
	return true
}

// Run flushes at an interval until ctx ends, and once more then.
func (r *Recorder) Run(ctx context.Context, interval time.Duration) {
	flush := func(limit time.Duration) {
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		if err := r.Flush(writing); err != nil {
			r.o.Logger.LogAttrs(ctx, slog.LevelWarn, "refusals were not recorded", slog.Any("error", err))
		}
	}
	loop.Every(ctx, interval, func() { flush(writeTimeout) })
	flush(lastWrite)
}

// networkOf returns the network that an address is counted under: its /24, or the
// /48 of an IPv6 address.
func networkOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	ip = ip.Unmap().WithZone("")
	bits := 48
	if ip.Is4() {
		bits = 24
	}
	prefix, err := ip.Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.String()
}

// shortenText cuts a claim of a token to maxShown bytes.
func shortenText(text string) string {
	if len(text) > maxShown {
		return text[:maxShown] + "…"
	}
	return text
}

func idText(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}
