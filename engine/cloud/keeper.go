package cloud

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	passInterval = 5 * time.Second
	// namespaceCheck is the time between two checks of a namespace without a problem.
	namespaceCheck = time.Hour
	// adoptedDelay is the time by which the check of another replica is followed up late, so that the same one checks next.
	adoptedDelay = time.Minute
	// workLimit bounds the namespaces, and the workers, of a pass at the same time.
	workLimit = 4
	// changeLimit bounds the changed tenants of a pass.
	changeLimit = 100
	workerLease = 5 * time.Minute
	// workerTimeout bounds the work about a worker, so that it ends before the lease.
	workerTimeout = 4 * time.Minute
	// releaseTimeout bounds the end of a lease when the program ends.
	releaseTimeout = 2 * time.Second
	firstPause     = 5 * time.Second
	maxPause       = 10 * time.Minute
)

// errLostKey is the outcome of a pass that found a running operation about a key with a lost secret. The next pass deletes the key.
var errLostKey = errors.New("a key that was being created during a crash is deleted first")

// KeeperOptions configure a Keeper.
type KeeperOptions struct {
	// Accounts are the accounts of Temporal Cloud by the names of clusters, "" for the default one.
	Accounts map[string]*Account
	// Own is the namespace of the service in the default cluster.
	Own    string
	DB     *persistence.DB
	Sealer *authn.Sealer
	// Authorities returns the trusted authorities of the service.
	Authorities func() []authn.TrustedAuthority
	// Ready is called when a namespace has become ready.
	Ready  func()
	Clock  func() time.Time
	Logger *slog.Logger
	// Interval is the time between two passes, 0 for five seconds.
	Interval time.Duration
}

// Keeper maintains the namespaces and API keys of all clusters in Temporal Cloud. Several replicas share the work.
type Keeper struct {
	o    KeeperOptions
	wake loop.Signal

	mu         sync.Mutex
	namespaces map[string]*namespaceState

	// listed is set when all namespaces of the start are known. It belongs to the pass for namespaces.
	listed bool
	// compared is set when a change of each tenant was recorded. It belongs to the pass for API keys.
	compared bool
}

// NewKeeper returns a Keeper that is started with Run.
func NewKeeper(o KeeperOptions) *Keeper {
	if o.Interval == 0 {
		o.Interval = passInterval
	}
	return &Keeper{o: o, wake: loop.NewSignal(), namespaces: map[string]*namespaceState{}}
}

// Run works until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	if len(k.o.Accounts) == 0 {
		return
	}
	var parts sync.WaitGroup
	parts.Go(func() { k.repeatPass(ctx, "namespaces", k.wake, k.checkNamespaces) })
	parts.Go(func() { k.repeatPass(ctx, "API keys", nil, k.checkWorkers) })
	parts.Wait()
}

// repeatPass calls a pass at the interval. It logs the failures.
func (k *Keeper) repeatPass(ctx context.Context, subject string, wake loop.Signal, pass func(context.Context) error) {
	failures := loop.FailureLog{Logger: k.o.Logger, Clock: k.o.Clock, Interval: loop.FailureInterval}
	l := loop.Loop[struct{}]{Wake: wake, MinInterval: min(time.Second, k.o.Interval), Step: func(ctx context.Context) time.Duration {
		if err := pass(ctx); err != nil {
			failures.Record(ctx, "Temporal Cloud is not fully set up", err, slog.String("subject", subject))
		} else if failures.End() {
			k.o.Logger.InfoContext(ctx, "Temporal Cloud is set up", slog.String("subject", subject))
		}
		return k.o.Interval
	}}
	l.Run(ctx)
}

// Provision reports whether a namespace of a cluster is in Temporal Cloud, and its problem, if it is not ready. It never waits for
// Temporal Cloud.
func (k *Keeper) Provision(cluster, namespace string) (managed bool, err error) {
	if k.o.Accounts[cluster] == nil {
		return false, nil
	}
	return true, k.readState(namespace)
}

func (k *Keeper) clusters(include func(*Account) bool) []string {
	names := []string{}
	for name, account := range k.o.Accounts {
		if include(account) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// pauseAfter returns the pause after a failure that follows others.
func pauseAfter(failures int) time.Duration { return min(firstPause<<min(failures, 10), maxPause) }

// checkWorkers compares the workers of changed tenants, leases those with due work, and does it. Without both it sends one statement.
func (k *Keeper) checkWorkers(ctx context.Context) error {
	clusters := k.clusters(func(a *Account) bool { return !a.o.Certificates })
	if len(clusters) == 0 {
		return nil
	}
	if !k.compared {
		// The settings may have changed before the start.
		if err := k.o.DB.ChangeCloudTenants(ctx, clusters); err != nil {
			return err
		}
		k.compared = true
	}
	now := k.o.Clock()
	work, err := k.o.DB.Reader().FindCloudWork(ctx, clusters, now)
	if err != nil {
		return err
	}
	if work.Changes {
		err = k.o.DB.CompareCloudWorkers(ctx, clusters, now, changeLimit)
	}
	if err != nil || !work.Changes && !work.Workers {
		return err
	}
	due, err := k.o.DB.ClaimCloudWorkers(ctx, clusters, now, now.Add(workerLease), workLimit)
	if err != nil {
		return err
	}
	errs := make([]error, len(due))
	var group errgroup.Group
	for i, worker := range due {
		group.Go(func() error {
			errs[i] = k.checkWorker(ctx, worker)
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(errs...)
}

func (k *Keeper) checkWorker(ctx context.Context, worker persistence.CloudWorker) error {
	ring := keyring{Account: k.o.Accounts[worker.Cluster], db: k.o.DB, sealer: k.o.Sealer, worker: worker, now: k.o.Clock}
	limited, cancel := context.WithTimeout(ctx, workerTimeout)
	defer cancel()
	next, err := ring.reconcileKeys(limited)
	problem := ""
	switch {
	case ctx.Err() != nil:
		// Another replica continues at once.
		next, err = k.o.Clock(), nil
	case err != nil:
		problem, next = err.Error(), k.o.Clock().Add(pauseAfter(worker.Failures))
		err = fmt.Errorf("the API key of the application %s: %w", worker.PrincipalID, err)
	}
	released, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	return errors.Join(err, k.o.DB.FinishCloudWorker(released, worker, next, problem))
}
