package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/console/notifications"
	"github.com/procession-dev/procession/console/signin"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/cloud"
	"github.com/procession-dev/procession/engine/completions"
	"github.com/procession-dev/procession/engine/relay"
	"github.com/procession-dev/procession/events/audit"
	"github.com/procession-dev/procession/events/dispatch"
	"github.com/procession-dev/procession/events/feed"
	"github.com/procession-dev/procession/events/notify"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/maintenance"
	"github.com/procession-dev/procession/workflows"
)

// Options configures a service.
type Options struct {
	Config    config.Config
	Keyring   *Keyring
	Documents *blobstore.Store
	// WebhookDelay returns the pauses between attempts at webhooks, as webhook.NextDelay by default.
	WebhookDelay dispatch.Delay
	Log          *slog.Logger
	// Local is for the local stack.
	Local LocalOptions
}

// LocalOptions configures the service of the local stack.
type LocalOptions struct {
	// Authority is the certificate, in PEM, that is served at /dev/ca.pem.
	Authority []byte
	// Hosts are the hosts that requests may name.
	Hosts *config.Hosts
	// Users can be signed in to the console by one click.
	Users []signin.DemoUser
	// Mailbox keeps the mails that are not sent because no SMTP server is configured.
	Mailbox *notifications.Mailbox
}

// New wires the service; Run starts it.
func New(o Options) (*Service, error) {
	warnOfChildren(o.Config.Features, o.Log)
	s := &Service{config: o.Config, mailbox: o.Local.Mailbox, keys: o.Keyring.Keys, delay: o.WebhookDelay, signals: newSignals()}
	s.log = slog.New(outageHandler{Handler: o.Log.Handler(), outage: &s.outage})
	k, documents, log, m := o.Keyring, o.Documents, s.log, newMetrics()
	s.checkDatabase = k.DB.Background().CheckWritable
	s.notifier = feed.NewNotifier(k.DB, log)
	s.hub = feed.NewHub(feed.Options{DB: k.DB, Logger: log, OnNotification: func() { s.signals.dispatcher.Wake(); s.signals.people.Wake() }})
	s.audit = audit.New(audit.Options{DB: k.DB, Clock: time.Now, Logger: log, Count: m.countRefusedSignIn})
	halves, err := s.newOperations(k, documents, m)
	if err != nil {
		return nil, err
	}
	acts, err := s.newBackground(k, halves)
	if err != nil {
		return nil, err
	}
	s.addMetrics(m, k, documents, acts, halves.operations)
	if err := s.newAPI(k, halves, m, o.Local); err != nil {
		return nil, err
	}
	s.addHealth(documents, m)
	return s, nil
}

// signals wake background parts of the service.
type signals struct{ relay, starter, bulk, dispatcher, outbox, people, mailer loop.Signal }

func newSignals() signals {
	return signals{
		relay: loop.NewSignal(), starter: loop.NewSignal(), bulk: loop.NewSignal(), dispatcher: loop.NewSignal(), outbox: loop.NewSignal(),
		people: loop.NewSignal(), mailer: loop.NewSignal(),
	}
}

// operations contains the operations of both API versions and the operations of administrators.
type operations struct {
	operations     *app.Service
	administration *administration.Service
	bulk           *bulk.Service
}

// newOperations wires the operations. They use the engine, which is created later, before Run.
func (s *Service) newOperations(k *Keyring, documents *blobstore.Store, m *metrics) (h operations, err error) {
	c := s.config
	guard, err := c.WebhookGuard()
	if err != nil {
		return h, err
	}
	provider, err := newAssistanceProvider(c.Features)
	if err != nil {
		return h, err
	}
	s.sender = newWebhookSender(guard, m)
	store := storage.New(storage.Options{
		DB: k.DB, Clock: time.Now, Wake: func() { s.signals.relay.Wake(); s.signals.starter.Wake(); s.signals.bulk.Wake() },
		Recorded: func() {
			s.hub.Wake()
			s.notifier.Wake()
			s.signals.dispatcher.Wake()
			s.signals.people.Wake()
		},
	})
	s.revocations = store.Revocations()
	h.administration = administration.New(administration.Options{
		Store: store, Sealer: k.Sealer, Issuer: k.Issuer, EngineAddresses: engineAddresses(c), EngineNamespace: c.TemporalNamespace,
		CloudAccounts: cloudAccounts(c), CheckWebhookURL: guard.CheckURL,
		NoPersonalTokens: c.PersonalTokens == config.PersonalTokensNone,
		Lifetimes: administration.SecretLifetimes{
			AccessToken: c.AccessTokenLifetime, MaxAccessToken: c.MaxAccessTokenLifetime,
			ApplicationSecret: c.SecretLifetime, MaxApplicationSecret: c.MaxSecretLifetime,
		},
		Documents: documents, MaxDocumentBytes: c.MaxDocumentBytes, TaskQueueTimeouts: queueTimeouts(c),
		Version: BuildVersion(), BaseURL: c.BaseURL(), SessionIdle: c.SessionIdle, CancelGrace: c.CancelGrace,
		Examine: s.examineService,
	})
	h.operations = app.New(app.Options{
		Store: store, Issuer: k.Issuer, Sealer: k.Sealer, TaskLogLimit: c.TaskLogLimit, CancelGrace: c.CancelGrace,
		Documents: documents, MaxDocumentBytes: c.MaxDocumentBytes,
		Assistance: provider, Texts: newTextReader(c.Features, s.log), AssistanceTime: c.AssistanceTimeout, Forms: newFormRenderer(c.Features, s.log, reportMissing(m, s.log)),
		Quotas: tenantQuotas(c.Quotas),
		ViewWorkflow: func(ctx context.Context, q domain.WorkflowQuestion) (*domain.WorkflowView, error) {
			return s.engine.View(ctx, q)
		},
		RepairPoints: func(ctx context.Context, r domain.EngineRun) ([]domain.RepairPoint, error) {
			return s.engine.RepairPoints(ctx, r)
		},
	})
	h.bulk = bulk.New(bulk.Options{Store: store, App: h.operations, Administration: h.administration, Logger: s.log})
	return h, nil
}

// newBackground wires Temporal's client and the parts that run in the background.
func (s *Service) newBackground(k *Keyring, h operations) (*activities.Activities, error) { //nolint:funlen // one part after the other
	background := h.operations.Background()
	connections, err := EngineOptions(k.Issuer, s.config, k.DB, s.log)
	if err != nil {
		return nil, err
	}
	connections.Keys = background.EncryptionKey
	if s.accounts, err = newCloudAccounts(s.config, s.log); err != nil {
		return nil, err
	}
	s.cloud = cloud.NewKeeper(cloud.KeeperOptions{
		Accounts: s.accounts, Own: s.config.TemporalNamespace, DB: k.DB.Background(), Sealer: k.Sealer, Authorities: k.Issuer.Authorities,
		Ready: func() { s.supervisor.Check() }, Clock: time.Now, Logger: s.log,
	})
	connections.Provision = func(ctx context.Context, namespace string) (bool, error) {
		cluster, err := connections.ClusterOf(ctx, namespace)
		if err != nil {
			return false, err
		}
		return s.cloud.Provision(cluster, namespace)
	}
	if s.engine, err = engine.New(connections); err != nil {
		return nil, err
	}
	attempts := dispatch.NewAttempts(dispatch.AttemptOptions{
		DB: k.DB, Sealer: k.Sealer, Sender: s.sender, Delay: s.delay, Clock: time.Now,
	})
	s.dispatcher = s.newDispatcher(k.DB, attempts)
	acts := activities.New(activities.Options{
		App: h.operations, Bulk: h.bulk, Webhooks: attempts, Engine: s.engine, Clock: time.Now, Logger: s.log,
	})
	s.supervisor = s.newSupervisor(k.DB, acts)
	s.observer = completions.New(completions.Options{
		DB: k.DB, App: h.operations, Engine: s.engine, Missing: s.supervisor.Recheck, Clock: time.Now, Logger: s.log,
	})
	s.certificates = &certificates{db: k.DB.Background(), issuer: k.Issuer, listener: s.certificate.Load, log: s.log}
	if credentials := connections.Credentials; !credentials.Plaintext {
		if s.certificates.probe, err = engine.NewProbe(s.config.Clusters()[0].AddressOf(s.config.TemporalNamespace), credentials); err != nil {
			return nil, err
		}
	}
	if s.outbox, err = s.newOutbox(k.DB); err != nil {
		return nil, err
	}
	s.notifications = notify.New(notify.Options{
		DB: k.DB, BaseURL: s.config.BaseURL(), Clock: time.Now, Logger: s.log,
		Written: func() { s.signals.outbox.Wake(); s.signals.dispatcher.Wake() },
	})
	s.people = notify.NewPersonNotifier(notify.PersonOptions{
		DB: k.DB, Wake: s.signals.people, Clock: time.Now, Logger: s.log, Mails: s.sendsMails(),
		Written: func() { s.hub.Wake(); s.notifier.Wake(); s.signals.mailer.Wake() },
	})
	s.mailer = notify.NewPersonMailer(notify.MailerOptions{
		DB: k.DB, BaseURL: s.config.BaseURL(), Compose: notifications.ComposeMail, Wake: s.signals.mailer, Written: s.signals.outbox.Wake,
		Unsubscribe: func(person uuid.UUID, kinds []domain.NotificationKind) string {
			return s.config.BaseURL() + "/console/unsubscribe/" + h.operations.UnsubscribeToken(person, kinds)
		},
		Clock: time.Now, Logger: s.log,
	})
	s.deadlines = newDeadlines(h.operations, s.log)
	s.counter = maintenance.NewCounter(k.DB, s.log)
	s.remover = maintenance.NewRemover(maintenance.RemoverOptions{
		DB: k.DB, Bounds: s.config.RetentionBounds(), Clock: time.Now, Logger: s.log,
	})
	observed := k.DB.Background()
	s.taskQueues = engine.NewTaskQueueObserver(engine.TaskQueueObserverOptions{
		Match: s.matchTaskQueues(observed), Claim: observed.ClaimTaskQueues, Put: observed.PutObservations, Describe: s.engine.DescribeTaskQueue,
		Interval: s.config.TaskQueueInterval, Clock: time.Now, Logger: s.log,
	})
	s.starter = engine.NewStarter(engine.StarterOptions[domain.DueAssistance]{
		Engine: s.engine, Name: "runs of assistance", Exchange: background.DispatchAssistance, Wake: s.signals.starter, Logger: s.log,
		Workflow: func(run domain.DueAssistance) engine.OwnedWorkflow {
			return engine.OwnedWorkflow{
				ID: run.WorkflowID(), Type: workflows.AssistanceName,
				Input: workflows.AssistanceInput{Key: run.AssistanceKey, Deadline: run.Deadline},
			}
		},
	})
	s.bulkStarter = engine.NewStarter(engine.StarterOptions[uuid.UUID]{
		Engine: s.engine, Name: "bulk operations", Exchange: h.bulk.Background().Dispatch, Wake: s.signals.bulk, Restart: true, Logger: s.log,
		Workflow: func(id uuid.UUID) engine.OwnedWorkflow {
			return engine.OwnedWorkflow{
				ID: domain.BulkWorkflowID(id), Type: workflows.BulkOperationName, Input: workflows.BulkOperationInput{OperationID: id},
			}
		},
	})
	s.relay = relay.New(relay.Options{
		DB: k.DB, Execute: s.engine.Execute, Unavailable: engine.Unavailable, Executed: s.observer.MarkActive,
		Refused: func(err error) {
			if namespace, missing := engine.MissingNamespace(err); missing {
				s.supervisor.Recheck(namespace)
			}
		},
		Wake: s.signals.relay, Clock: time.Now, Logger: s.log,
	})
	return acts, nil
}

// newSupervisor wires the workers of the service in the namespaces of the tenants.
func (s *Service) newSupervisor(db *persistence.DB, acts *activities.Activities) *engine.Supervisor {
	return engine.NewSupervisor(engine.SupervisorOptions{
		Engine: s.engine, Namespaces: db.Background().Reader().ListNamespaces, Clock: time.Now, Logger: s.log,
		Schedules: ownSchedules(),
		Register: func(r worker.Registry) {
			workflows.Register(r)
			acts.Register(r)
		},
		DataSources: db.Background().Reader().ListDataSourceNamespaces,
		RegisterDataSources: func(r worker.Registry) {
			workflows.RegisterDataSources(r)
			acts.RegisterDataSources(r)
		},
	})
}

// addMetrics registers the metrics of the parts.
func (s *Service) addMetrics(m *metrics, k *Keyring, documents *blobstore.Store, acts *activities.Activities, operations *app.Service) {
	watched := k.DB.Background().Reader()
	m.registry.MustRegister(newBacklogs(watched), newIncidentMetrics(watched, operations), newTaskQueueMetrics(watched, queueTimeouts(s.config)),
		newWorkMetrics(watched), newConnectionMetrics(k.DB), newCertificateMetrics(s.certificates),
		newRetentionMetrics(s.remover), newEventMetrics(watched), newDocumentMetrics(documents), newMessageMetrics(s.outbox, watched))
	m.registerGauge("procession_http_connections", "Open connections of clients to the REST API.", s.connections.countClients)
	m.registerCounter("procession_http_connections_refused_total", "Connections refused because of a limit.",
		func() float64 { return float64(s.connections.rejected.Load()) })
	m.registerCounter("procession_engine_commands_executed_total", "Commands for Temporal executed.",
		func() float64 { return float64(s.relay.Stats().Executed) })
	m.registerCounter("procession_engine_commands_failed_total", "Failed attempts to execute commands for Temporal.",
		func() float64 { return float64(s.relay.Stats().Failed) })
	m.registerCounter("procession_engine_ends_listed_total", "Ends of workflows listed by Temporal, each several times.",
		func() float64 { return float64(s.observer.Stats().Listed) })
	m.registerCounter("procession_engine_ends_recorded_total", "Ends of workflows recorded.",
		func() float64 { return float64(s.observer.Stats().Recorded) })
	m.registerCounter("procession_task_deadlines_handled_total", "Deadlines of tasks that were handled.",
		func() float64 { return float64(s.deadlines.handled.Load()) })
	m.registerCounter("procession_documents_expired_total", "Expired documents that were deleted.",
		func() float64 { return float64(acts.DocumentStats().Expired) })
	m.registerCounter("procession_document_blobs_swept_total", "Blobs without a document that were deleted.",
		func() float64 { return float64(acts.DocumentStats().Swept) })
	m.registerCounter("procession_documents_lost_total", "Detections of documents without their bytes.",
		func() float64 { return float64(acts.DocumentStats().Lost) })
	m.registerGauge("procession_event_streams", "Open event streams.",
		func() float64 { return float64(s.hub.Count()) })
	m.registerCounter("procession_assistance_completed_total", "Runs of AI assistance that completed.",
		func() float64 { return float64(acts.AssistanceStats().Completed) })
	m.registerCounter("procession_assistance_failed_total", "Runs of AI assistance that failed.",
		func() float64 { return float64(acts.AssistanceStats().Failed) })
}

// newAPI wires authentication and the handlers of requests.
func (s *Service) newAPI(k *Keyring, h operations, m *metrics, local LocalOptions) (err error) {
	c := s.config
	s.oidc, err = authn.NewOIDC(k.DB, c.OIDCIssuers, time.Now)
	if err != nil {
		return err
	}
	s.oidc.Provision(h.administration)
	authenticator, err := authn.NewAuthenticator(k.DB, time.Now, authn.WithOIDC(s.oidc))
	if err != nil {
		return err
	}
	directories, err := authn.NewDirectories(k.DB, time.Now)
	if err != nil {
		return err
	}
	deprecation, err := c.Deprecation()
	if err != nil {
		return err
	}
	passed, err := s.newChains(m, local)
	if err != nil {
		return err
	}
	options := api.Options{
		Options: passed, Service: h.operations, Administration: h.administration, Bulk: h.bulk, Revocations: s.revocations,
		Authenticator: authenticator, Issuer: k.Issuer, Directories: directories, BaseURL: c.BaseURL(),
		BodyLimit: c.MaxBodyBytes, DocumentLimit: c.MaxDocumentBytes, Deprecation: deprecation,
		DevCA: local.Authority, Feed: s.hub, Origins: c.CORSOrigins,
	}
	rest, err := s.newRouter(options)
	if err != nil {
		return err
	}
	return s.addConsole(rest, options, k.DB, local.Users)
}

// newChains creates the chains before the handlers, and returns the options of the chain of clients. Requests
// to the health listener are not part of the request metrics, and may name any host.
func (s *Service) newChains(m *metrics, local LocalOptions) (chain.Options, error) {
	proxies, err := s.config.Proxies()
	if err != nil {
		return chain.Options{}, err
	}
	limiter, err := limit.New(requestLimits(s.config.HTTP), time.Now)
	if err != nil {
		return chain.Options{}, err
	}
	options := chain.Options{
		Log: s.log, Clock: time.Now, Hosts: local.Hosts.Allow, TrustedProxies: proxies, Limiter: limiter, Limited: m.countLimited, Audit: s.audit,
		Untrusted: s.untrusted.newRecorder(s.log, time.Now),
	}
	s.operators = chain.New(options)
	options.Hosts, options.Observe = cmp.Or(local.Hosts, s.config.Hosts()).Allow, m.observeRequest
	s.clients = chain.New(options)
	return options, nil
}

// newRouter returns the handler of the REST API, and creates the handler of administration if it has its own
// listener.
func (s *Service) newRouter(o api.Options) (*api.Router, error) {
	if s.config.ListenAdministration != "" {
		o.Part = api.Administration
		administration, err := api.NewRouter(o)
		if err != nil {
			return nil, err
		}
		s.administrationHandler = administration
		o.Part = api.WithoutAdministration
	}
	return api.NewRouter(o)
}

// ownSchedules returns the periodic workflows of the service.
func ownSchedules() []engine.Schedule {
	return []engine.Schedule{
		{ID: "document-expiry", Type: workflows.DocumentExpiryName, Every: workflows.DocumentExpiryInterval},
		{ID: "document-sweep", Type: workflows.DocumentSweepName, Every: workflows.DocumentSweepInterval},
		{ID: "registration-expiry", Type: workflows.RegistrationExpiryName, Every: workflows.RegistrationExpiryInterval},
		{ID: "webhook-expiry", Type: workflows.WebhookExpiryName, Every: workflows.WebhookExpiryInterval},
	}
}

// Ready reports whether the namespaces and schedules of the service are in place in Temporal.
func (s *Service) Ready() bool { return s.supervisor.Ready() }

// temporalReady returns an error unless Temporal answers and has the namespaces and schedules of the service.
func (s *Service) temporalReady(ctx context.Context) error {
	if !s.Ready() {
		return errors.New("namespaces and schedules are not in place")
	}
	return s.engine.Ping(ctx)
}
