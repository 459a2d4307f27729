package procession

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"

	"github.com/procession-dev/procession/sdk/encryption"
	"github.com/procession-dev/procession/sdk/rest"
	"github.com/procession-dev/procession/sdk/transport"
)

const (
	firstStartWait = 500 * time.Millisecond
	maxStartWait   = 5 * time.Second
	dialTimeout    = 10 * time.Second
	// silence is the time without an answer after which a connection to Temporal is checked; Temporal permits one check in ten seconds. After
	// checkTimeout it is closed: the host of the frontend is lost.
	silence      = 10500 * time.Millisecond
	checkTimeout = 2 * time.Second
	drainTimeout = 20 * time.Second
)

// Config configures the addresses of the service and of Temporal, and the worker. Client, TemporalAddress and TaskQueue are
// required.
type Config struct {
	Client ClientConfig
	// TemporalAddress is the host:port of Temporal. The namespace and everything that it takes to get in come from the
	// service.
	TemporalAddress string
	// TemporalPlaintext connects without TLS and without credentials, as to a development server. The address must be a
	// loopback address.
	TemporalPlaintext bool
	// TaskQueue is the queue that the definitions name.
	TaskQueue string
	// Identity is the name of this worker, unique among the tenant's workers (default worker@host).
	Identity string
	// Hostname is the reported host name (default: the name of the machine).
	Hostname string
	// Logger receives the logs of the worker and its workflows; nil means slog.Default.
	Logger *slog.Logger
	// Temporal, when set, changes the options before they are used: for metrics, interceptors that trace, or limits.
	Temporal func(*client.Options, *worker.Options)
	// Ready, when set, is called when the worker polls, with the namespace that it works in.
	Ready func(namespace string)
	// Clock is the time that credentials are renewed by; nil means the machine's.
	Clock func() time.Time
}

// Worker runs workflows and activities for the service. Create it with NewWorker, register workflows and activities, then
// call Run.
type Worker struct {
	cfg       Config
	client    *Client
	logger    *slog.Logger
	workflows []registered
	activity  []registered
	sources   map[string]source
}

// registered is a workflow or an activity under the name that the service knows.
type registered struct {
	name string
	f    any
}

// NewWorker checks the configuration and returns a worker that knows the activities of the service's API. It does not
// call the service.
func NewWorker(cfg Config) (*Worker, error) {
	if cfg.TaskQueue == "" {
		return nil, errors.New("no task queue: name that of the process definition")
	}
	if cfg.TemporalPlaintext && !transport.IsLoopback(cfg.TemporalAddress) {
		return nil, fmt.Errorf("plain text to Temporal at %q: only loopback addresses are allowed", cfg.TemporalAddress)
	}
	cfg.Logger = orDefault(cfg.Logger, slog.Default())
	if cfg.Hostname == "" {
		cfg.Hostname, _ = os.Hostname()
		cfg.Hostname = cmp.Or(cfg.Hostname, "localhost")
	}
	cfg.Identity = cmp.Or(cfg.Identity, "worker@"+cfg.Hostname)
	if cfg.Clock == nil {
		cfg.Clock = time.Now //nolint:forbidigo // the default of what can be injected
	}
	cfg.Client.Logger = orDefault(cfg.Client.Logger, cfg.Logger)
	api, err := NewClient(cfg.Client)
	if err != nil {
		return nil, err
	}
	w := &Worker{cfg: cfg, client: api, logger: cfg.Logger}
	registerOperations(w)
	return w, nil
}

// Client calls the REST API as the worker's application.
func (w *Worker) Client() *Client { return w.client }

// RegisterWorkflow registers f with the worker for the workflow type name of a definition. Req is the argument that the
// service passes (WorkflowRequest, UserActionRequest, RobotRequest or ArtifactActionRequest), Res the result that it
// expects (WorkflowResponse or ArtifactActionResponse). In the context of f, activities are retried without limit, because
// a process outlives an outage of the service, and the functions of this package act on the process.
//
// Child workflows, and workflows that other clients start, may have any argument and result.
func RegisterWorkflow[Req, Res any](w *Worker, name string, f func(workflow.Context, Req) (Res, error)) {
	w.workflows = append(w.workflows, registered{name, func(ctx workflow.Context, request Req) (Res, error) {
		return f(withProcess(ctx, request), request)
	}})
}

// RegisterActivity registers f with the worker for the activity type name. An error of the API that f returns, wrapped or
// not, ends the activity when it is permanent; when it is temporary, the activity is retried. Of two activities with one name the
// one registered last counts.
func RegisterActivity[Req, Res any](w *Worker, name string, f func(context.Context, Req) (Res, error)) {
	w.activity = slices.DeleteFunc(w.activity, func(r registered) bool { return r.name == name })
	w.activity = append(w.activity, registered{name, func(ctx context.Context, request Req) (Res, error) {
		if isOperation(name) {
			defer keepAlive(ctx)()
		}
		response, err := f(ctx, request)
		return response, activityError(err)
	}})
}

// RegisterOn registers the workflows and activities with another registry: a test environment or a worker of Temporal's
// SDK.
func (w *Worker) RegisterOn(registry worker.Registry) {
	for _, r := range w.workflows {
		registry.RegisterWorkflowWithOptions(r.f, workflow.RegisterOptions{Name: r.name})
	}
	for _, r := range w.allActivities() {
		registry.RegisterActivityWithOptions(r.f, activity.RegisterOptions{Name: r.name})
	}
}

// allActivities returns the registered activities, and the activities of the API if there are workflows.
func (w *Worker) allActivities() []registered {
	if len(w.workflows) > 0 {
		return w.activity
	}
	return slices.DeleteFunc(slices.Clone(w.activity), func(r registered) bool { return isOperation(r.name) })
}

// Run gets access to Temporal, registers the worker with the service, and polls until ctx ends; then it finishes the
// tasks in hand (20 s at most) and returns nil. Each step of the start is repeated until it succeeds, so the service and
// Temporal may start after the worker. Once it is registered, it goes on through outages of both, and when its access to
// Temporal is revoked it asks for another. It returns ErrAccessRevoked when the service no longer accepts the
// credentials, and another error when Temporal refuses the worker for good.
func (w *Worker) Run(ctx context.Context) error {
	defer w.client.Close()
	if err := w.serve(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func (w *Worker) serve(ctx context.Context) error {
	var access engineAccess
	err := w.untilDone(ctx, "engine access", func(ctx context.Context) (err error) {
		access, err = w.obtainAccess(ctx)
		return err
	})
	if err != nil {
		return err
	}
	// Registered before the first poll, so that the service knows the queue when it issues the first token.
	registered := newRegistration(w.client, w.logger, w.registrationParams())
	if err := w.untilDone(ctx, "worker registration", registered.registerOnce); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	fatal := make(chan error, 2)
	kept := make(chan struct{})
	defer func() { cancel(); <-kept }()
	go func() {
		defer close(kept)
		if err := registered.keepRegistered(ctx); err != nil {
			fatal <- err
		}
	}()
	for tolerance := firstTolerance; ; tolerance = min(2*tolerance, maxTolerance) {
		again, err := w.poll(ctx, access, tolerance, registered.wake, fatal)
		if err != nil || !again {
			return err
		}
		w.logger.WarnContext(ctx, "Temporal denies the worker, getting access again")
		err = w.untilDone(ctx, "engine access", func(ctx context.Context) (err error) {
			access, err = w.obtainAccess(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
}

func (w *Worker) obtainAccess(ctx context.Context) (engineAccess, error) {
	if w.cfg.TemporalPlaintext {
		return obtainPlainAccess(ctx, w.client)
	}
	return obtainEngineAccess(ctx, w.client, w.cfg.Clock)
}

// poll connects to Temporal and polls until ctx ends or something is sent to fatal. It reports whether to do so again
// with other access: when Temporal denies this one, and fresh tokens do not help.
func (w *Worker) poll(
	ctx context.Context, access engineAccess, tolerance time.Duration, wake func(), fatal chan error,
) (again bool, err error) {
	denied := newDenials(w.cfg.Clock, tolerance, func() { access.dropToken(); wake() })
	var stop func()
	connected := make(chan error, 1)
	connecting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		connected <- w.untilDone(connecting, "Temporal connection", func(ctx context.Context) (err error) {
			stop, err = w.connect(ctx, access, denied, fatal)
			return err
		})
	}()
	select {
	case err := <-connected:
		if err != nil {
			return false, err
		}
	case err := <-fatal:
		cancel()
		if <-connected == nil {
			stop()
		}
		return false, err
	case <-denied.exceeded:
		cancel()
		if <-connected == nil {
			stop()
		}
		return true, nil
	}
	defer stop()
	if w.cfg.Ready != nil {
		w.cfg.Ready(access.namespace)
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case err := <-fatal:
		return false, err
	case <-denied.exceeded:
		return true, nil
	}
}

// untilDone repeats a step with backoff until it succeeds or ctx ends. Refusals are retried too: the application may not
// exist yet if the worker starts together with the service.
func (w *Worker) untilDone(ctx context.Context, step string, attempt func(context.Context) error) error {
	for wait := firstStartWait; ; wait = min(2*wait, maxStartWait) {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			w.logger.WarnContext(ctx, "start-up step did not succeed, trying again", slog.String("step", step),
				slog.Duration("pause", wait), slog.Any("error", err))
		}
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
}

func (w *Worker) registrationParams() rest.WorkerCreateParams {
	return rest.WorkerCreateParams{
		Identity: w.cfg.Identity, TaskQueue: w.cfg.TaskQueue, Hostname: w.cfg.Hostname, IP: hostAddress(),
		WorkflowTypes: namesOf(w.workflows), ActivityTypes: namesOf(w.allActivities()),
	}
}

func namesOf(all []registered) []string {
	result := make([]string, len(all))
	for i, r := range all {
		result[i] = r.name
	}
	return result
}

// connect dials Temporal and starts polling. stop ends polling and waits for running tasks. A permanent refusal is sent to
// fatal.
func (w *Worker) connect(ctx context.Context, access engineAccess, denied *denials, fatal chan<- error) (stop func(), err error) {
	// Workflows that the service starts with a key keep their payloads to themselves.
	keys := encryption.NewKeys(w.cfg.Clock, w.client.EncryptionKey)
	dialling := client.Options{
		HostPort:  w.cfg.TemporalAddress,
		Namespace: access.namespace,
		Identity:  w.cfg.Identity,
		Logger:    log.NewStructuredLogger(w.logger),
		ConnectionOptions: client.ConnectionOptions{
			TLS: access.tls.Clone(), KeepAliveTime: silence, KeepAliveTimeout: checkTimeout,
			DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(denied.intercept)},
		},
		DataConverter:      encryption.NewDataConverter(keys),
		ContextPropagators: []workflow.ContextPropagator{encryption.Propagator{}},
	}
	if access.token != nil {
		dialling.Credentials = client.NewAPIKeyDynamicCredentials(access.token)
	}
	polling := worker.Options{
		Identity:              w.cfg.Identity,
		WorkerStopTimeout:     drainTimeout,
		DisableWorkflowWorker: len(w.workflows) == 0,
		OnFatalError: func(err error) {
			select {
			case fatal <- fmt.Errorf("polling %s: %w", w.cfg.TaskQueue, err):
			default:
			}
		},
	}
	if w.cfg.Temporal != nil {
		w.cfg.Temporal(&dialling, &polling)
	}
	dialCtx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dialled, err := client.DialContext(dialCtx, dialling)
	if err != nil {
		return nil, fmt.Errorf("dialling %s: %w", w.cfg.TemporalAddress, err)
	}
	running := worker.New(dialled, w.cfg.TaskQueue, polling)
	w.RegisterOn(running)
	if err := running.Start(); err != nil {
		dialled.Close()
		return nil, fmt.Errorf("starting the worker: %w", err)
	}
	return func() { running.Stop(); dialled.Close() }, nil
}
