// Package access authorizes the calls to a Temporal frontend by Procession's engine tokens and client certificates.
//
// It is a plug-in for a Temporal server built from go.temporal.io/server: [New] returns
// a [Guard] with options for temporal.NewServer. The frontend must ask for client
// certificates (requireClientAuth), the internal frontend must run, and the
// settings of [DynamicConfig] must be in force. The rules for engines are in engine.go (the order of the checks), methods.go
// (methods), queues.go (task queues), commands.go (commands of workflows), workflows.go and targets.go (workflows that are signalled, cancelled or changed),
// owners.go (owners of sticky queues) and interceptor.go (seals of the tokens in answers).
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

// Options configure a [Guard]. Fields are required unless their comment says otherwise.
type Options struct {
	// KeySetURL is the URL of the public keys that sign tokens (a JWK Set, RFC 7517).
	KeySetURL string
	// KeySetRefresh is the time between two reads of the keys.
	KeySetRefresh time.Duration
	// AllowPlainHTTP permits http for KeySetURL and RevocationsURL on other machines:
	// an attacker on the network can then admit any caller. Optional; otherwise these
	// URLs must be https or have a loopback address.
	AllowPlainHTTP bool
	// MaxAge is the maximum age of keys and revocations. Older ones, and missing ones
	// before the first successful read, make every call of an engine fail with
	// Unavailable.
	MaxAge time.Duration
	// Store holds the owners of sticky task queues and the key of the seals.
	Store Store
	// RevocationsURL is the URL of the list of revoked tokens and certificates; empty for none. See [SiblingRevocationsURL].
	RevocationsURL string
	// RevocationsRefresh is the time between two reads of that list; required with RevocationsURL.
	RevocationsRefresh time.Duration
	// Issuer is the iss claim every token must carry.
	Issuer string
	// EngineMethods are methods of Temporal's workflow service, such as
	// "StartWorkflowExecution", that engines may call in addition to the methods of
	// workers. Optional.
	EngineMethods []string
	// NexusEndpoints are the Nexus endpoints that workflows of engines may call. Optional: none by default.
	NexusEndpoints []string
	// UncheckedCommandQueues permits workflows to schedule activities and start
	// workflows on task queues outside the token, and to signal and cancel workflows
	// there, except workflows of the service.
	UncheckedCommandQueues bool
	// Logger receives one line for each refused call and reports failures to read the keys and the list.
	Logger *slog.Logger
	// TemporalLogger receives the log of Temporal's own token code.
	TemporalLogger log.Logger
	// Metrics receives the counters and gauges; nil drops them.
	Metrics metrics.Handler
	// Clock returns the current time.
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

// New returns a Guard that reads the keys and the revocations at once and then
// periodically until Close. A failure to read them is not an error, but engines are
// refused until both are available. It returns an error for invalid options and when
// the store fails.
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
	g.intercept = &interceptor{authorizer: g.decide, owners: g.owners, targets: newTargets(o.Clock), sources: g.sources}
	g.owners.startForgetting(ctx)
	var first sync.WaitGroup
	for _, s := range g.sources {
		first.Go(func() { s.startReading(ctx) })
	}
	first.Wait()
	return g, nil
}

// Close stops reading the keys and the revocations; the last ones remain in force. It does not close the store.
func (g *Guard) Close() {
	g.owners.close()
	for _, s := range g.sources {
		s.close()
	}
}

// ClaimMapper returns the claim mapper, which reads tokens and certificates.
func (g *Guard) ClaimMapper() authorization.ClaimMapper { return g.claims }

// Authorizer returns the authorizer, which allows or denies calls. It accepts claims of this guard's ClaimMapper only.
func (g *Guard) Authorizer() authorization.Authorizer { return g.decide }

// Interceptor returns the interceptor, which looks up the owners of sticky queues and seals the tokens in answers. It must follow
// Temporal's own interceptors on every frontend: without it no completion of a task is accepted.
func (g *Guard) Interceptor() grpc.UnaryServerInterceptor { return g.intercept.interceptCall }

// ServerOptions returns the options with which temporal.NewServer applies this guard. A server with further interceptors must pass
// temporal.WithChainedFrontendGrpcInterceptors again with all of them and the [Guard.Interceptor].
func (g *Guard) ServerOptions() []temporal.ServerOption {
	return []temporal.ServerOption{
		temporal.WithAuthorizer(g.decide),
		temporal.WithChainedFrontendGrpcInterceptors(g.Interceptor()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return g.claims }),
	}
}

// DynamicConfig returns the settings of Temporal that the rules require, independent of
// its defaults: streams are authorized, commands stay in their namespace, a task token
// must belong to the namespace of the call, and a page token to the execution.
func DynamicConfig() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		dynamicconfig.DisableStreamingAuthorizer.Key():                      false,
		dynamicconfig.EnableCrossNamespaceCommands.Key():                    false,
		dynamicconfig.EnableTokenNamespaceEnforcement.Key():                 true,
		dynamicconfig.EnablePaginationTokenBranchValidation.Key():           true,
		dynamicconfig.EnablePaginationTokenBranchValidationShadowMode.Key(): false,
	}
}

// SiblingRevocationsURL returns the URL of the revocations of the service that publishes its keys at keySetURL, or "" if that URL does
// not end in /jwks.json.
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

// CheckPublishedURL returns an error unless the keys and the revocations may be read from the URL: over https, over http from a
// loopback address, or with plainHTTP over http from any.
func CheckPublishedURL(address string, plainHTTP bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("must be an http or https URL")
	}
	host := u.Hostname()
	loopback := host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
	if u.Scheme == "http" && !loopback && !plainHTTP {
		return errors.New("must be an https URL or lead to this machine unless plain http is allowed: its content decides about access")
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
