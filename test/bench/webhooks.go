package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	deadEndpoints = 100
	// spacing is the time between two processes, with two events each, of the
	// measured tenant; neighbourSpacing is the same for the other tenant.
	spacing          = 20 * time.Millisecond
	neighbourSpacing = 500 * time.Millisecond
	latencyTarget    = 100 * time.Millisecond
	// dyingFor is how long endpoints are dead before they count as such: until then
	// they are tried more often, and their silence has not been found out.
	dyingFor = 90 * time.Second
	// slowdown is by how much the dead endpoints may raise the 99th percentile.
	slowdown       = 1.2
	neighbour      = "neighbour"
	neighbourCode  = "PLAIN"
	neighbourToken = "bench-neighbour-secret"
)

// measureWebhooks measures the time from an event to its receiver, by turns
// without and with dead endpoints of another tenant.
func (b *bench) measureWebhooks(ctx context.Context) error {
	w, err := b.newWebhookBench(ctx)
	if err != nil {
		return err
	}
	defer w.stop()
	var all, besideDying, beside []time.Duration
	var alone99, beside99 []time.Duration
	// The first round fills caches.
	if _, err := w.measureRound(ctx, b.samples*4); err != nil {
		return err
	}
	for range b.rounds {
		alone, err := w.measureRound(ctx, b.samples*4)
		if err != nil {
			return err
		}
		if err := w.addDead(ctx); err != nil {
			return err
		}
		var dying []time.Duration
		for died := time.Now(); time.Since(died) < dyingFor; {
			received, err := w.measureRound(ctx, b.samples)
			if err != nil {
				return err
			}
			dying = append(dying, received...)
		}
		troubled, err := w.measureRound(ctx, b.samples*4)
		if err != nil {
			return err
		}
		if err := w.removeEndpoints(ctx, neighbour, "dead"); err != nil {
			return err
		}
		fmt.Fprintf(b.progress, "alone %s, beside the dying %s, beside the dead %s\n", formatLatency(alone), formatLatency(dying), formatLatency(troubled))
		all, besideDying, beside = append(all, alone...), append(besideDying, dying...), append(beside, troubled...)
		alone99, beside99 = append(alone99, percentileOf(alone, 0.99)), append(beside99, percentileOf(troubled, 0.99))
	}
	before, after := percentileOf(alone99, 0.5), percentileOf(beside99, 0.5)
	b.report.add(row{
		measure: "event → webhook received", value: formatLatency(all), beside: fmt.Sprintf("%d events", len(all)),
		limit: "p50 ≤ " + formatMilliseconds(latencyTarget), missed: percentileOf(all, 0.5) > latencyTarget,
	})
	b.report.add(row{
		measure: fmt.Sprintf("the same while %d endpoints of another tenant die", deadEndpoints),
		value:   formatLatency(besideDying), beside: fmt.Sprintf("their first %s", dyingFor),
	})
	b.report.add(row{
		measure: fmt.Sprintf("the same beside %d dead endpoints of another tenant", deadEndpoints),
		value:   formatLatency(beside), beside: fmt.Sprintf("median p99 %s, alone %s", formatMilliseconds(after), formatMilliseconds(before)),
		limit: fmt.Sprintf("p99 ≤ %.1f × alone", slowdown), missed: float64(after) > slowdown*float64(before),
	})
	return w.removeEndpoints(ctx, "demo", "live")
}

// webhookBench contains the receivers and accounts of the section.
type webhookBench struct {
	bench    *bench
	app      *administration.Service
	account  demo.Account
	plain    uuid.UUID
	receiver *timedReceiver
	// silent accepts connections and never answers, refusing does not even accept.
	silent   net.Listener
	refusing string
}

func (b *bench) newWebhookBench(ctx context.Context) (*webhookBench, error) {
	w := &webhookBench{bench: b, account: demo.Account{ID: uuid.New(), Secret: neighbourToken}}
	sealer, err := authn.NewSealer(b.sealKey)
	if err != nil {
		return nil, err
	}
	w.app = administration.New(administration.Options{
		Store: storage.New(storage.Options{DB: b.db, Clock: time.Now}), Sealer: sealer, CheckWebhookURL: func(string) error { return nil },
	})
	if w.receiver, err = newTimedReceiver(ctx); err != nil {
		return nil, err
	}
	if w.silent, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	go func() {
		// Connections stay open until the listener's program ends.
		for {
			if _, err := w.silent.Accept(); err != nil {
				return
			}
		}
	}()
	free, err := freeAddresses(ctx, 1)
	if err != nil {
		return nil, err
	}
	w.refusing = free[0]
	hash := authn.HashSecret(neighbourToken)
	applied, err := w.applyManifests(
		ctx,
		manifestOf("Tenant", "", neighbour, "", `{"name":"Neighbour"}`),
		identifiedManifest(neighbour, "driver", w.account.ID, `{"name":"Driver","secrets":[{"name":"bench","sha256":"`+hex.EncodeToString(hash[:])+`"}]}`),
		manifestOf("ProcessDefinition", neighbour, neighbourCode, "", `{"name":"Plain","permissions":{"initiators":[{"application":"driver"}]}}`),
		manifestOf("WebhookSubscription", "demo", "BENCH", "live", `{"name":"Bench","url":"`+w.receiver.url+`","processDefinition":"ONBOARDING"}`),
	)
	if err != nil {
		return nil, err
	}
	w.plain = applied[2].ID
	return w, w.issueSecret(ctx, "demo", "BENCH")
}

func (w *webhookBench) stop() {
	_ = w.receiver.server.Close()
	_ = w.silent.Close()
}

func manifestOf(kind, tenant, code, label, spec string) json.RawMessage {
	metadata := fmt.Sprintf(`"code":%q`, code)
	if tenant != "" {
		metadata += fmt.Sprintf(`,"tenant":%q`, tenant)
	}
	if label != "" {
		metadata += fmt.Sprintf(`,"labels":{"bench":%q}`, label)
	}
	return json.RawMessage(fmt.Sprintf(`{"apiVersion":"procession/v1","kind":%q,"metadata":{%s},"spec":%s}`, kind, metadata, spec))
}

func identifiedManifest(tenant, code string, id uuid.UUID, spec string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(
		`{"apiVersion":"procession/v1","kind":"Application","metadata":{"code":%q,"tenant":%q,"id":%q},"spec":%s}`, code, tenant, id, spec))
}

func systemCall() domain.Call {
	return domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}}
}

func (w *webhookBench) applyManifests(ctx context.Context, documents ...json.RawMessage) ([]administration.AppliedResource, error) {
	return w.app.ApplyResources(ctx, systemCall(), administration.ApplyRequest{Documents: documents})
}

func (w *webhookBench) issueSecret(ctx context.Context, tenant, code string) error {
	_, err := w.app.IssueSecret(ctx, systemCall(),
		administration.ResourceKey{Tenant: tenant, Kind: resource.KindWebhookSubscription, Code: code}, administration.NewSecret{Name: "bench"})
	return err
}

// addDead gives endpoints to the neighbour: half never answer, half refuse
// connections.
func (w *webhookBench) addDead(ctx context.Context) error {
	documents := make([]json.RawMessage, deadEndpoints)
	for i := range documents {
		address := w.silent.Addr().String()
		if i%2 == 0 {
			address = w.refusing
		}
		documents[i] = manifestOf("WebhookSubscription", neighbour, fmt.Sprintf("DEAD-%d", i), "dead",
			fmt.Sprintf(`{"name":"Dead","url":"http://%s/%d"}`, address, i))
	}
	if _, err := w.applyManifests(ctx, documents...); err != nil {
		return err
	}
	for i := range documents {
		if err := w.issueSecret(ctx, neighbour, fmt.Sprintf("DEAD-%d", i)); err != nil {
			return err
		}
	}
	return nil
}

// removeEndpoints deletes subscriptions with all their deliveries.
func (w *webhookBench) removeEndpoints(ctx context.Context, tenant, label string) error {
	_, err := w.app.ApplyResources(ctx, systemCall(), administration.ApplyRequest{
		Prune: &administration.Prune{Tenant: tenant, Selector: resource.Selector{"bench": label}},
	})
	return err
}

// measureRound creates processes at an even pace, and some in the other tenant, and
// returns how long each event took to be received.
func (w *webhookBench) measureRound(ctx context.Context, processes int) ([]time.Duration, error) {
	w.receiver.reset()
	neighbourContext, stop := context.WithCancel(ctx)
	defer stop()
	var group errgroup.Group
	group.Go(func() error {
		return w.createProcesses(neighbourContext, w.account, w.plain, neighbourSpacing, -1)
	})
	err := w.createProcesses(ctx, demo.Alice(), demo.Onboarding(), spacing, processes)
	if err == nil {
		err = w.receiver.awaitEvents(ctx, 2*processes)
	}
	stop()
	if failed := group.Wait(); err == nil {
		err = failed
	}
	return w.receiver.deliveryLatencies(), err
}

// createProcesses creates so many processes, or as many as there is time for when the
// number is negative.
func (w *webhookBench) createProcesses(ctx context.Context, as demo.Account, definition uuid.UUID, spacing time.Duration, processes int) error {
	c, err := w.bench.dial(ctx, as)
	if err != nil {
		return err
	}
	defer c.Close()
	ticker := time.NewTicker(spacing)
	defer ticker.Stop()
	for i := 0; i != processes; i++ {
		select {
		case <-ctx.Done():
			if processes < 0 {
				return nil
			}
			return ctx.Err()
		case <-ticker.C:
		}
		body := `{"processDefinitionId":"` + definition.String() + `"}`
		if err := c.callExpecting(http.MethodPost, "/processes", body, http.StatusCreated); err != nil {
			return err
		}
	}
	return nil
}

// timedReceiver takes webhooks and notes how old the events are by then.
type timedReceiver struct {
	server *http.Server
	url    string

	mu   sync.Mutex
	took []time.Duration
	news chan struct{}
}

func newTimedReceiver(ctx context.Context) (*timedReceiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	r := &timedReceiver{url: "http://" + listener.Addr().String() + "/", news: make(chan struct{}, 1)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

func (r *timedReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var event struct{ Timestamp time.Time }
	now := time.Now()
	if err := json.NewDecoder(request.Body).Decode(&event); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.took = append(r.took, now.Sub(event.Timestamp))
	r.mu.Unlock()
	select {
	case r.news <- struct{}{}:
	default:
	}
}

func (r *timedReceiver) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = nil
}

func (r *timedReceiver) deliveryLatencies() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.took
}

// awaitEvents returns when so many events were received.
func (r *timedReceiver) awaitEvents(ctx context.Context, events int) error {
	ctx, cancel := context.WithTimeout(ctx, walkTimeout)
	defer cancel()
	for len(r.deliveryLatencies()) < events {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d webhooks, of which %d came: %w", events, len(r.deliveryLatencies()), ctx.Err())
		case <-r.news:
		}
	}
	return nil
}
