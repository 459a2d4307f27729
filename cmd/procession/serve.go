package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/audit"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/feed"
	"github.com/procession-dev/procession/outbox"
	"github.com/procession-dev/procession/workflows"
)

// issuerKeyRefresh is how often the keys of OpenID Connect issuers are fetched,
// and so how long a key that an issuer withdrew may still be trusted.
const issuerKeyRefresh = 10 * time.Minute

// newServeCommand makes the command that serves. delay says when webhooks are
// repeated.
func newServeCommand(delay app.WebhookDelay) *cobra.Command {
	return configured("serve", "Run the service until SIGTERM or SIGINT",
		func(ctx context.Context, cmd *cobra.Command, c Config) error {
			c.webhookDelay = delay
			log := newLogger(cmd.ErrOrStderr(), c)
			if err := errors.Join(c.requireTemporal(), c.requireDocuments(), c.requireTLSFiles()); err != nil {
				return err
			}
			k, err := openKeys(ctx, c, log)
			if err != nil {
				return err
			}
			defer k.db.Close()
			documents, err := blobstore.Open(ctx, c.DocumentsURL)
			if err != nil {
				return err
			}
			defer func() { _ = documents.Close() }()
			s, err := newService(c, k, documents, log, nil)
			if err != nil {
				return err
			}
			opened, err := s.listen(ctx)
			if err != nil {
				return err
			}
			return s.run(ctx, opened)
		})
}

// service is the running program: what it is made of, wired together.
type service struct {
	config      Config
	log         *slog.Logger
	keys        *authn.Keys
	revocations *authn.Revocations
	oidc        *authn.OIDC
	handler     http.Handler
	management  http.Handler
	admin       http.Handler
	connections connections
	health      *health
	engine      *engine.Engine
	relay       *outbox.Relay
	dispatcher  *outbox.Dispatcher
	sender      *webhookSender
	starter     *engine.Starter
	supervisor  *engine.Supervisor
	taskQueues  *engine.TaskQueueObserver
	notifier    *feed.Notifier
	hub         *feed.Hub
	audit       *audit.Recorder
}

// devService is what is different about a service of the local stack.
type devService struct {
	// authority is the certificate, in PEM, that is shown at /dev/ca.pem.
	authority []byte
	// hosts reports whether requests for a host are answered.
	hosts func(host string) bool
	// users can be signed in to the console by one click.
	users []signin.DemoUser
}

// newService wires the service. Nothing runs before run. dev is nil for one that
// is not of the local stack.
func newService(
	c Config, k *keyring, documents *blobstore.Store, log *slog.Logger, dev *devService,
) (*service, error) {
	if dev == nil {
		dev = &devService{}
	}
	s := &service{config: c, log: log, keys: k.keys}
	credentials, err := engineCredentials(k.issuer, c)
	if err != nil {
		return nil, err
	}
	guard, err := c.webhookGuard()
	if err != nil {
		return nil, err
	}
	provider, err := c.assistanceProvider()
	if err != nil {
		return nil, err
	}
	c.warnOfChildren(log)
	m := newMetrics()
	s.sender = newWebhookSender(guard, m)
	s.notifier = feed.NewNotifier(k.db, log)
	s.audit = audit.New(audit.Options{DB: k.db, Clock: time.Now, Logger: log, Count: m.signInRefused})
	s.hub = feed.NewHub(feed.Options{DB: k.db, Logger: log})
	// Operations are given what wakes the relay and the dispatcher before there are
	// such: nothing runs before run.
	store := storage.New(storage.Options{
		DB: k.db, Clock: time.Now, Wake: func() { s.relay.Wake(); s.starter.Wake() },
		Recorded: func() {
			s.hub.Wake()
			s.notifier.Wake()
			s.dispatcher.Wake()
		},
	})
	administration := administer.New(administer.Options{
		Store: store, Sealer: k.sealer, CheckWebhookURL: guard.CheckURL,
		Lifetimes: administer.SecretLifetimes{
			AccessToken: c.AccessTokenLifetime, MaxAccessToken: c.MaxAccessTokenLifetime,
			MaxApplicationSecret: c.MaxSecretLifetime,
		},
		Documents: documents, MaxDocumentBytes: c.MaxDocumentBytes, TaskQueuePatience: queuePatience(c),
	})
	operations := app.New(app.Options{
		Store: store, Issuer: k.issuer, Sealer: k.sealer, TaskLogLimit: c.TaskLogLimit, CancelGrace: c.CancelGrace,
		Documents: documents, MaxDocumentBytes: c.MaxDocumentBytes,
		Assistance: provider, Texts: c.textReader(log), AssistanceTime: c.AssistanceTimeout, Forms: c.formPress(),
		Quotas:   c.quotas(),
		Webhooks: s.sender, WebhookDelay: c.webhookDelay,
	})
	s.revocations = store.Revocations()
	background := operations.Background()
	s.engine, err = engine.New(engine.Options{
		Address: c.TemporalAddress, Credentials: credentials, Retention: c.TemporalRetention, Logger: log,
		Keys: background.EncryptionKey,
	})
	if err != nil {
		return nil, err
	}
	s.dispatcher = newDispatcher(c, k.db, background, s.engine, log)
	observation := activities.New(activities.Options{
		App: operations, Engine: s.engine, Clock: time.Now, Logger: log,
	})
	s.supervisor = engine.NewSupervisor(engine.SupervisorOptions{
		Engine: s.engine, Namespaces: k.db.Background().Reader().ListNamespaces, Clock: time.Now, Logger: log,
		Observer: observer, Schedules: schedules(),
		Register: func(r worker.Registry) {
			workflows.Register(r)
			observation.Register(r)
		},
		DataSources: k.db.Background().Reader().ListDataSourceNamespaces,
		RegisterDataSources: func(r worker.Registry) {
			workflows.RegisterDataSources(r)
			observation.RegisterDataSources(r)
		},
	})
	observed := k.db.Background()
	s.taskQueues = engine.NewTaskQueueObserver(engine.TaskQueueObserverOptions{
		Claim: observed.ClaimTaskQueues, Put: observed.PutObservations, Describe: s.engine.DescribeTaskQueue,
		Interval: c.TaskQueueInterval, Clock: time.Now, Logger: log,
	})
	s.starter = engine.NewStarter(engine.StarterOptions{
		Engine: s.engine, Exchange: background.DispatchAssistance, Logger: log,
		Workflow: func(run domain.DueAssistance) engine.OwnedWorkflow {
			return engine.OwnedWorkflow{
				ID: run.WorkflowID(), Type: workflows.AssistanceName,
				Input: workflows.AssistanceInput{Key: run.AssistanceKey, Deadline: run.Deadline},
			}
		},
	})
	s.relay = outbox.New(outbox.Options{
		DB: k.db, Execute: s.engine.Execute, Unavailable: engine.Unavailable,
		Executed: observation.Touch,
		Refused: func(err error) {
			if engine.NamespaceMissing(err) {
				s.supervisor.Recheck()
			}
		},
		Clock: time.Now, Logger: log,
	})
	s.oidc, err = authn.NewOIDC(k.db, c.OIDCIssuers, time.Now)
	if err != nil {
		return nil, err
	}
	authenticator, err := authn.NewAuthenticator(k.db.Reader(), time.Now, authn.WithOIDC(s.oidc))
	if err != nil {
		return nil, err
	}
	watched := k.db.Background().Reader()
	m.registry.MustRegister(newBacklog(watched), newWebhookBacklog(watched), newTaskQueueMetrics(watched, queuePatience(c)),
		newConnectionMetrics(k.db))
	m.gauge("procession_http_connections", "Connections of clients to the REST API.", s.connections.ofClients)
	m.counter("procession_http_connections_refused_total", "Connections that were refused because there were too many.",
		func() float64 { return float64(s.connections.refused.Load()) })
	m.counter("procession_engine_commands_executed_total", "Commands for Temporal carried out.",
		func() float64 { return float64(s.relay.Stats().Executed) })
	m.counter("procession_engine_commands_failed_total", "Attempts at commands for Temporal that failed.",
		func() float64 { return float64(s.relay.Stats().Failed) })
	m.counter("procession_documents_expired_total", "Documents that had expired and were deleted.",
		func() float64 { return float64(observation.DocumentStats().Expired) })
	m.counter("procession_document_blobs_swept_total", "Bytes without a document that were deleted.",
		func() float64 { return float64(observation.DocumentStats().Swept) })
	m.counter("procession_documents_lost_total", "Documents found without their bytes, each time that they were.",
		func() float64 { return float64(observation.DocumentStats().Lost) })
	m.gauge("procession_event_streams", "Clients and parts of the service that follow the events.",
		func() float64 { return float64(s.hub.Count()) })
	m.counter("procession_assistance_completed_total", "Runs of AI assistance that have an answer.",
		func() float64 { return float64(observation.AssistanceStats().Completed) })
	m.counter("procession_assistance_failed_total", "Runs of AI assistance that failed.",
		func() float64 { return float64(observation.AssistanceStats().Failed) })
	deprecation, err := c.deprecation()
	if err != nil {
		return nil, err
	}
	proxies, err := c.proxies()
	if err != nil {
		return nil, err
	}
	limiter, err := limit.New(c.limits(), time.Now)
	if err != nil {
		return nil, err
	}
	options := api.Options{
		Service: operations, Administration: administration, Revocations: s.revocations,
		Authenticator: authenticator, Issuer: k.issuer, Clock: time.Now, Log: log,
		BodyLimit: c.MaxBodyBytes, DocumentLimit: c.MaxDocumentBytes, Deprecation: deprecation, Observe: m.observe,
		DevCA: dev.authority, Hosts: dev.hosts, Feed: s.hub, Audit: s.audit,
		TrustedProxies: proxies, Limiter: limiter, Limited: m.limit,
	}
	if err := s.route(options); err != nil {
		return nil, err
	}
	if err := s.addConsole(options, k.db, dev.users); err != nil {
		return nil, err
	}
	s.health = &health{checks: []check{
		{name: "database", run: k.db.Background().Ping},
		{name: "documents", optional: true, run: documents.Ready},
		{name: "temporal", optional: true, run: s.temporalReady},
	}}
	admin := http.NewServeMux()
	admin.HandleFunc("GET /livez", s.health.live)
	admin.HandleFunc("GET /readyz", s.health.ready)
	admin.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry}))
	s.admin = httpio.GuardAnswers(onlyHosts(dev.hosts, admin), 0)
	return s, nil
}

// route makes the handlers of the REST API, and of administration where it has a
// listener of its own.
func (s *service) route(o api.Options) (err error) {
	if s.config.ListenManagement != "" {
		o.Part = api.Administration
		if s.management, err = api.NewRouter(o); err != nil {
			return err
		}
		o.Part = api.WithoutAdministration
	}
	s.handler, err = api.NewRouter(o)
	return err
}

// observer is the workflow that observes a namespace.
func observer(namespace string) engine.OwnedWorkflow {
	return engine.OwnedWorkflow{
		ID: workflows.EngineObserverID(namespace), Type: workflows.EngineObserverName,
		Input: workflows.EngineObserverInput{Namespace: namespace},
	}
}

// schedules are what the service runs again and again.
func schedules() []engine.Schedule {
	return []engine.Schedule{
		{ID: "document-expiry", Type: workflows.DocumentExpiryName, Every: workflows.DocumentExpiryInterval},
		{ID: "document-sweep", Type: workflows.DocumentSweepName, Every: workflows.DocumentSweepInterval},
		{ID: "registration-expiry", Type: workflows.RegistrationExpiryName, Every: workflows.RegistrationExpiryInterval},
		{ID: "webhook-expiry", Type: workflows.WebhookExpiryName, Every: workflows.WebhookExpiryInterval},
	}
}

// temporalReady reports whether Temporal answers and has all that the service
// needs of it.
func (s *service) temporalReady(ctx context.Context) error {
	if !s.supervisor.Ready() {
		return errors.New("namespaces and observers are not in place")
	}
	return s.engine.Ping(ctx)
}

// run serves until ctx ends. Then it says that it is not ready, drains the
// requests, so that what they commit is still handed to Temporal, ends the parts
// in the background and, last of all, stops answering about its health.
func (s *service) run(ctx context.Context, opened listeners) error {
	defer s.engine.Close()
	defer s.sender.client.Close()
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
	parts.Go(func() { s.followFeed(background) })
	parts.Go(func() { s.starter.Run(background) })
	parts.Go(func() { s.supervisor.Run(background) })
	parts.Go(func() { s.notifier.Run(background) })
	parts.Go(func() { s.hub.Run(background) })
	parts.Go(func() { s.taskQueues.Run(background) })
	parts.Go(func() { s.audit.Run(background, audit.DefaultInterval) })

	accepting, stopAccepting := context.WithCancel(lasting)
	defer stopAccepting()
	// Streams of events end only when they are drained.
	defer context.AfterFunc(accepting, s.hub.Drain)()
	defer context.AfterFunc(ctx, func() {
		s.health.draining.Store(true)
		time.AfterFunc(s.config.DrainDelay, stopAccepting)
	})()

	observed, stopObserved := context.WithCancel(lasting)
	defer stopObserved()
	observing := make(chan error, 1)
	go func() { observing <- serveUntil(observed, s.config.DrainTimeout, opened.admin) }()

	for _, l := range slices.Concat(opened.api, opened.admin) {
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
