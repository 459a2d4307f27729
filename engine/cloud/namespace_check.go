package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/persistence"
)

// namespaceState is the outcome of the last check of a namespace, or the zero dueAt and errUnready before it.
type namespaceState struct {
	err         error
	authorities string
	failures    int
	dueAt       time.Time
}

// readState returns the problem of a namespace. An unknown one is added, and checked soon.
func (k *Keeper) readState(namespace string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	state := k.namespaces[namespace]
	if state == nil {
		state = &namespaceState{err: errUnready}
		k.namespaces[namespace] = state
		k.wake.Wake()
	}
	return state.err
}

// checkNamespaces ensures the namespaces that are due: new ones, those that lack an authority, those with a problem after a pause, and all
// once an hour. It lists all at the start only: without due ones it sends no statement.
func (k *Keeper) checkNamespaces(ctx context.Context) error {
	clusters := k.clusters(func(*Account) bool { return true })
	var names []string
	if k.listed {
		if names = k.dueNamespaces(); len(names) == 0 {
			return k.joinProblems()
		}
	}
	found, err := k.o.DB.Reader().ListClusterNamespaces(ctx, clusters, names)
	if err != nil {
		return err
	}
	if k.o.Accounts[""] != nil && (names == nil || slices.Contains(names, k.o.Own)) {
		found = append(found, persistence.ClusterNamespace{Namespace: k.o.Own})
	}
	if err := k.forgetNamespaces(ctx, names, found); err != nil {
		return err
	}
	k.listed = true
	errs := make([]error, len(found))
	var group errgroup.Group
	group.SetLimit(workLimit)
	for i, n := range found {
		group.Go(func() error {
			errs[i] = k.checkNamespace(ctx, n)
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(errors.Join(errs...), k.joinProblems())
}

// dueNamespaces returns the known namespaces that are due.
func (k *Keeper) dueNamespaces() (names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	trusted := strings.Join(k.trustedIDs(), " ")
	now := k.o.Clock()
	for name, state := range k.namespaces {
		lacks := state.err == nil && state.authorities != "" && state.authorities != trusted
		if lacks || !now.Before(state.dueAt) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// joinProblems returns the problems of checked namespaces.
func (k *Keeper) joinProblems() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, state := range k.namespaces {
		if !errors.Is(state.err, errUnready) {
			errs = append(errs, state.err)
		}
	}
	return errors.Join(errs...)
}

// forgetNamespaces removes the namespaces with the names, of all for nil, that were not found.
func (k *Keeper) forgetNamespaces(ctx context.Context, names []string, found []persistence.ClusterNamespace) error {
	kept := make([]string, len(found))
	for i, n := range found {
		kept[i] = n.Namespace
	}
	if names == nil {
		return k.o.DB.RetainCloudNamespaces(ctx, kept)
	}
	gone := slices.DeleteFunc(names, func(name string) bool { return slices.Contains(kept, name) })
	if len(gone) == 0 {
		return nil
	}
	k.mu.Lock()
	for _, name := range gone {
		delete(k.namespaces, name)
	}
	k.mu.Unlock()
	return k.o.DB.RemoveCloudNamespaces(ctx, gone)
}

func (k *Keeper) trustedIDs() (ids []string) {
	for _, authority := range k.o.Authorities() {
		ids = append(ids, authority.ID)
	}
	return ids
}

// checkNamespace ensures a namespace, unless another replica has checked it in the meantime, and returns its new problem.
func (k *Keeper) checkNamespace(ctx context.Context, n persistence.ClusterNamespace) error {
	account := k.o.Accounts[n.Cluster]
	trusted := k.o.Authorities()
	recorded := persistence.CloudNamespace{Namespace: n.Namespace}
	if account.o.Certificates {
		recorded.Authorities = []string{}
		for _, authority := range trusted {
			recorded.Authorities = append(recorded.Authorities, authority.ID)
		}
	}
	k.mu.Lock()
	before := k.namespaces[n.Namespace]
	k.mu.Unlock()
	state := &namespaceState{authorities: strings.Join(recorded.Authorities, " ")}
	if before != nil && !before.dueAt.IsZero() && n.Ready && slices.Equal(n.Authorities, recorded.Authorities) {
		if state.dueAt = n.CheckedAt.Add(namespaceCheck + adoptedDelay); k.o.Clock().Before(state.dueAt.Add(-adoptedDelay)) {
			k.putState(n.Namespace, before, state)
			return nil
		}
	}
	if err := account.EnsureNamespace(ctx, n.Namespace, trusted); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		state.err = fmt.Errorf("namespace %s: %w", n.Namespace, err)
		recorded.Problem = err.Error()
		if before != nil {
			state.failures = before.failures + 1
		}
	}
	if err := k.o.DB.PutCloudNamespace(ctx, recorded, k.o.Clock()); err != nil {
		return err
	}
	state.dueAt = k.o.Clock().Add(namespaceCheck)
	if state.err != nil {
		state.dueAt = k.o.Clock().Add(pauseAfter(state.failures))
	}
	k.putState(n.Namespace, before, state)
	return nil
}

// putState records the outcome of a check.
func (k *Keeper) putState(namespace string, before, state *namespaceState) {
	k.mu.Lock()
	k.namespaces[namespace] = state
	k.mu.Unlock()
	if state.err == nil && (before == nil || before.err != nil) {
		k.o.Ready()
	}
}
