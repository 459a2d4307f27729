// Package access decides what a caller of a Temporal frontend may do, from Procession's engine tokens and client certificates.
//
// It is a plug-in for a Temporal server built from go.temporal.io/server: [New] returns a [Guard], whose ServerOptions go to
// temporal.NewServer. The frontend must ask for client certificates (requireClientAuth), the internal frontend must run, and the
// settings of [DynamicConfig] must be in force. Rules about engines are in engine.go (the order of the checks), methods.go (which
// methods), queues.go (which task queues), commands.go (what a workflow may ask for), owners.go (whose sticky queues are) and
// interceptor.go (what is handed out to whom).
package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/temporal"
	"google.golang.org/grpc"
)

// Options configure a [Guard]: whom it trusts and what it allows engines. Every field without a remark is required.
type Options struct {
	// KeySetURL is where the keys that sign tokens are published (RFC 7517).
	KeySetURL string
	// KeySetRefresh is the time between two reads of the keys.
	KeySetRefresh time.Duration
	// AllowPlainHTTP lets those two documents be read over http from another machine: what is on the way there can then let any caller in.
	// Optional: without it their URLs are https, or lead to this machine.
	AllowPlainHTTP bool
	// MaxAge is how long documents that cannot be read again are trusted. After that, and before the revocations were read once, every
	// call of an engine is answered with Unavailable.
	MaxAge time.Duration
	// Store keeps the owners of sticky task queues and the key that seals what is handed out.
	Store Store
	// RevocationsURL is where revoked tokens and certificates are listed; empty revokes none. See [SiblingRevocationsURL].
	RevocationsURL string
	// RevocationsRefresh is the time between two reads of that list; required with RevocationsURL.
	RevocationsRefresh time.Duration
	// Issuer is the iss claim every token must carry.
	Issuer string
	// EngineMethods are names of methods of Temporal's workflow service, as "StartWorkflowExecution", that engines may call besides
	// those every worker needs. Optional.
	EngineMethods []string
	// NexusEndpoints are the Nexus endpoints the workflows of engines may call. Optional: without any they call none.
	NexusEndpoints []string
	// UncheckedCommandQueues lets workflows schedule activities and start workflows on task queues the token does not name.
	UncheckedCommandQueues bool
	// Logger receives one line for each refused call and reports failures to read the keys and the list.
	Logger *slog.Logger
	// TemporalLogger receives the log of Temporal's own token code.
	TemporalLogger log.Logger
	// Metrics receives the counters and gauges; nil drops them.
	Metrics metrics.Handler
	// Clock is the time tokens are compared with.
	Clock func() time.Time
}

// Guard consists of a claim mapper, an authorizer, an interceptor and the documents that they use.
type Guard struct {
	claims    *claimMapper
	decide    *authorizer
	intercept *interceptor
	sources   []*source
	owners    *owners
}

// New reads the keys and the revocations once and then again and again until Close. That they cannot be read yet is no error: engines are
// refused until both are there. It returns an error for options that cannot be used, and when the store fails.
func New(ctx context.Context, o Options) (*Guard, error) {
	if o.Metrics == nil {
		o.Metrics = metrics.NoopMetricsHandler
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	key, err := o.Store.SealKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("preparing the store: %w", err)
	}
	if len(key) != SealKeyBytes {
		return nil, fmt.Errorf("the store's seal key has %d bytes instead of %d", len(key), SealKeyBytes)
	}
	rules, err := newEngineRules(o, sealer{key: key})
	if err != nil {
		return nil, err
	}
	keys := newKeySet(o)
	g := &Guard{sources: []*source{keys.source}, owners: newOwners(o)}
	revoked := &revocations{}
	if o.RevocationsURL != "" {
		revoked = newRevocations(o)
		g.sources = append(g.sources, revoked.source)
	}
	g.claims = newClaimMapper(keys, o)
	g.decide = &authorizer{
		roles: authorization.NewDefaultAuthorizer(), engines: rules, revoked: revoked, logger: o.Logger, metrics: o.Metrics,
	}
	g.intercept = &interceptor{authorizer: g.decide, owners: g.owners, sources: g.sources}
	g.owners.start(ctx)
	var first sync.WaitGroup
	for _, s := range g.sources {
		first.Go(func() { s.start(ctx) })
	}
	first.Wait()
	return g, nil
}

// Close stops reading the keys and the revocations; the last ones stay in force. It leaves the store to its owner.
func (g *Guard) Close() {
	g.owners.close()
	for _, s := range g.sources {
		s.close()
	}
}

// ClaimMapper returns the part that reads tokens and certificates.
func (g *Guard) ClaimMapper() authorization.ClaimMapper { return g.claims }

// Authorizer returns the part that allows or denies calls. It understands claims of this guard's ClaimMapper only.
func (g *Guard) Authorizer() authorization.Authorizer { return g.decide }

// Interceptor returns the part that looks up the owners of sticky queues and seals what is handed out. It belongs behind Temporal's own
// interceptors on every frontend: where it is absent, no answer to a task is accepted.
func (g *Guard) Interceptor() grpc.UnaryServerInterceptor { return g.intercept.intercept }

// ServerOptions returns what temporal.NewServer needs to go by this guard. A server with interceptors of its own repeats
// temporal.WithChainedFrontendGrpcInterceptors with those and the [Guard.Interceptor].
func (g *Guard) ServerOptions() []temporal.ServerOption {
	return []temporal.ServerOption{
		temporal.WithAuthorizer(g.decide),
		temporal.WithChainedFrontendGrpcInterceptors(g.Interceptor()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return g.claims }),
	}
}

// DynamicConfig returns the settings the rules depend on, so that a changed default of a later Temporal cannot loosen them: streams are
// authorized, commands stay in their namespace, a task's token must be of the namespace the call names, and a page token of the execution.
func DynamicConfig() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		dynamicconfig.DisableStreamingAuthorizer.Key():                      false,
		dynamicconfig.EnableCrossNamespaceCommands.Key():                    false,
		dynamicconfig.EnableTokenNamespaceEnforcement.Key():                 true,
		dynamicconfig.EnablePaginationTokenBranchValidation.Key():           true,
		dynamicconfig.EnablePaginationTokenBranchValidationShadowMode.Key(): false,
	}
}

// SiblingRevocationsURL returns where the service that publishes its keys at keySetURL lists its revocations, or nothing when that URL
// does not end in /jwks.json.
func SiblingRevocationsURL(keySetURL string) string {
	u, err := url.Parse(keySetURL)
	if err != nil {
		return ""
	}
	folder, found := strings.CutSuffix(u.Path, "/jwks.json")
	if !found {
		return ""
	}
	u.Path, u.RawPath = folder+"/engine-revocations.json", ""
	return u.String()
}

// CheckPublishedURL returns an error for a URL that the keys or the revocations must not be read from: it is https, or http to a loopback
// address, or with plainHTTP http to any. Both documents decide who gets in.
func CheckPublishedURL(address string, plainHTTP bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("must be an http or https URL")
	}
	host := u.Hostname()
	loopback := host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
	if u.Scheme == "http" && !loopback && !plainHTTP {
		return errors.New("must be an https URL or lead to this machine unless plain http is allowed: what is read there decides who gets in")
	}
	return nil
}

func (o Options) validate() error {
	switch {
	case o.KeySetURL == "":
		return errors.New("no URL of the token keys is given")
	case o.KeySetRefresh <= 0:
		return errors.New("the time between two reads of the token keys must be positive")
	case o.RevocationsURL != "" && o.RevocationsRefresh <= 0:
		return errors.New("the time between two reads of the revocations must be positive")
	case o.MaxAge <= 0:
		return errors.New("the time that keys and revocations are trusted must be positive")
	case o.Store == nil:
		return errors.New("no store is given")
	case o.Issuer == "":
		return errors.New("no issuer of tokens is given")
	case o.Logger == nil || o.TemporalLogger == nil || o.Clock == nil:
		return errors.New("loggers and clock are required")
	}
	if err := CheckPublishedURL(o.KeySetURL, o.AllowPlainHTTP); err != nil {
		return fmt.Errorf("the URL of the token keys %w", err)
	}
	if err := CheckPublishedURL(o.RevocationsURL, o.AllowPlainHTTP); o.RevocationsURL != "" && err != nil {
		return fmt.Errorf("the URL of the revocations %w", err)
	}
	for _, endpoint := range o.NexusEndpoints {
		if endpoint == "" || strings.HasPrefix(endpoint, systemEndpointPrefix) {
			return fmt.Errorf("endpoint %q cannot be opened to engines", endpoint)
		}
	}
	return nil
}
