// Package server wires the service from the settings, and runs it.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/console/notifications"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/cloud"
	"github.com/procession-dev/procession/engine/completions"
	"github.com/procession-dev/procession/engine/relay"
	"github.com/procession-dev/procession/events/audit"
	"github.com/procession-dev/procession/events/dispatch"
	"github.com/procession-dev/procession/events/feed"
	"github.com/procession-dev/procession/events/notify"
	"github.com/procession-dev/procession/events/outbox"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence/maintenance"
)

// issuerKeyRefresh is the interval at which the keys of OpenID Connect issuers are fetched: a key that an
// issuer withdrew is trusted for at most that long.
const issuerKeyRefresh = 10 * time.Minute

// Serve runs the service until ctx ends. delay returns the pauses between attempts at webhooks.
func Serve(ctx context.Context, c config.Config, delay dispatch.Delay, log *slog.Logger) error {
	configureMemory(log)
	if err := c.RequireService(); err != nil {
		return err
	}
	k, err := openKeysWithin(ctx, c, serveDatabaseTimeout, log)
	if err != nil {
		return err
	}
	defer k.DB.Close()
	documents, err := blobstore.Open(ctx, c.DocumentsURL)
	if err != nil {
		return err
	}
	defer func() { _ = documents.Close() }()
	if err := storage.RequireMarker(ctx, k.DB.Background().Reader(), documents); err != nil {
		return err
	}
	s, err := New(Options{Config: c, Keyring: k, Documents: documents, WebhookDelay: delay, Log: log})
	if err != nil {
		return err
	}
	opened, err := s.OpenListeners(ctx)
	if err != nil {
		return err
	}
	return s.Run(ctx, opened)
}

// Service contains the wired parts of the program.
type Service struct {
	config      config.Config
	log         *slog.Logger
	delay       dispatch.Delay
	signals     signals
	keys        *authn.Keys
	revocations *authn.Revocations
	oidc        *authn.OIDC
	// clientHandler and administrationHandler, which is nil unless it has a listener, are served behind clients,
	// healthHandler is served behind operators.
	clientHandler         http.Handler
	administrationHandler http.Handler
	healthHandler         http.Handler
	clients               *chain.Chain
	operators             *chain.Chain
	connections           connections
	untrusted             untrustedProxies
	// certificate is the certificate of the HTTPS listeners, nil before they are open.
	certificate  atomic.Pointer[servedCertificate]
	certificates *certificates
	health       *health
	// draining is set on shutdown, at the beginning of --drain-delay.
	draining atomic.Bool
	outage   outage
	// checkDatabase returns an error unless PostgreSQL answers and accepts changes.
	checkDatabase func(ctx context.Context) error
	engine        *engine.Engine
	relay         *relay.Relay
	dispatcher    *dispatch.Dispatcher
	sender        *webhookSender
	starter       *engine.Starter[domain.DueAssistance]
	bulkStarter   *engine.Starter[uuid.UUID]
	supervisor    *engine.Supervisor
	accounts      map[string]*cloud.Account
	cloud         *cloud.Keeper
	observer      *completions.Observer
	taskQueues    *engine.TaskQueueObserver
	notifier      *feed.Notifier
	hub           *feed.Hub
	audit         *audit.Recorder
	counter       *maintenance.Counter
	remover       *maintenance.Remover
	deadlines     *deadlines
	outbox        *outbox.Outbox
	notifications *notify.Notifier
	people        *notify.PersonNotifier
	mailer        *notify.PersonMailer
	mailbox       *notifications.Mailbox
}

// drainAfter returns a context that ends --drain-delay after ctx. Meanwhile the service reports itself as not ready and closes
// each connection after its next answer.
func (s *Service) drainAfter(ctx context.Context) (context.Context, context.CancelFunc) {
	accepting, stop := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		s.draining.Store(true)
		time.AfterFunc(s.config.DrainDelay, stop)
	})
	return accepting, func() {
		forget()
		stop()
	}
}

// Run serves until ctx ends. Then it reports itself as not ready, drains the requests, stops the background
// parts, so that commands of drained requests still reach Temporal, and stops the health listener last.
func (s *Service) Run(ctx context.Context, opened Listeners) error {
	defer s.engine.Close()
	defer closeAccounts(s.accounts)
	defer s.sender.client.Close()
	defer s.certificates.close()
	lasting := context.WithoutCancel(ctx)
	background, stopBackground := context.WithCancel(lasting)
	defer stopBackground()
	if err := s.revocations.Reload(ctx); err != nil {
		s.log.ErrorContext(ctx, "engine revocations were not loaded", slog.Any("error", err))
	}
	var parts sync.WaitGroup
	parts.Go(func() { s.keys.ReloadEvery(background, s.config.KeyReload, s.log) })
	parts.Go(func() { s.revocations.RefreshEvery(background, authn.DefaultRevocationReload, s.log) })
	parts.Go(func() { s.oidc.RefreshEvery(background, issuerKeyRefresh, s.log) })
	parts.Go(func() { s.relay.Run(background) })
	parts.Go(func() { s.dispatcher.Run(background) })
	parts.Go(func() { s.starter.Run(background) })
	parts.Go(func() { s.bulkStarter.Run(background) })
	parts.Go(func() { s.supervisor.Run(background) })
	parts.Go(func() { s.cloud.Run(background) })
	parts.Go(func() { s.observer.Run(background) })
	parts.Go(func() { s.notifier.Run(background) })
	parts.Go(func() { s.hub.Run(background) })
	parts.Go(func() { s.taskQueues.Run(background) })
	parts.Go(func() { s.audit.Run(background, audit.DefaultInterval) })
	parts.Go(func() { s.counter.Run(background) })
	parts.Go(func() { s.remover.Run(background) })
	parts.Go(func() { s.deadlines.run(background) })
	parts.Go(func() { loop.Every(background, outageCheck, func() { s.logRecovery(background) }) })
	parts.Go(func() { s.certificates.run(background) })
	parts.Go(func() { s.outbox.Run(background) })
	parts.Go(func() { s.notifications.Run(background) })
	parts.Go(func() { s.people.Run(background) })
	parts.Go(func() { s.mailer.Run(background) })

	accepting, stopAccepting := s.drainAfter(ctx)
	defer stopAccepting()
	// Event streams end only when they are drained.
	defer context.AfterFunc(accepting, s.hub.Drain)()

	observed, stopObserved := context.WithCancel(lasting)
	defer stopObserved()
	observing := make(chan error, 1)
	go func() { observing <- serveUntil(observed, s.config.DrainTimeout, opened.health) }()

	for _, l := range slices.Concat(opened.api, opened.health) {
		s.log.InfoContext(ctx, "serving", slog.String("address", l.Addr().String()), slog.Bool("tls", l.certificate != nil))
	}
	err := serveUntil(accepting, s.config.DrainTimeout, opened.api)
	stopBackground()
	parts.Wait()
	stopObserved()
	if err = errors.Join(err, <-observing); err != nil {
		return err
	}
	s.log.InfoContext(ctx, "stopped")
	return nil
}
