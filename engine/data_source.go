package engine

import (
	"context"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
)

// dataSourcePollers is the number of concurrent workflow task polls of a worker in a
// tenant's namespace. Temporal requires at least two.
const dataSourcePollers = 2

// checkDataSources keeps a worker in the namespace of each tenant with data sources,
// because activities are scheduled within a namespace only. It must be called by one
// goroutine.
func (s *Supervisor) checkDataSources(ctx context.Context) error {
	if s.o.DataSources == nil {
		return nil
	}
	namespaces, err := s.o.DataSources(ctx)
	if err != nil {
		return err
	}
	queues := map[string]bool{}
	var errs []error
	for _, namespace := range namespaces {
		queues[namespace] = true
		if first, _ := s.confirmationDue(namespace); first {
			continue // The namespace is not there yet.
		}
		if s.dataSources[namespace] != nil && !s.takeDeadDataSource(namespace) {
			continue
		}
		w, err := s.startDataSourceWorker(namespace)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.dataSources[namespace] = w
	}
	for namespace, w := range s.dataSources {
		if !queues[namespace] {
			w.Stop()
			delete(s.dataSources, namespace)
		}
	}
	return errors.Join(errs...)
}

func (s *Supervisor) startDataSourceWorker(namespace string) (worker.Worker, error) {
	// It shares the connection, which outlives it.
	c, err := client.NewClientFromExisting(s.o.Engine.client, client.Options{
		Namespace: namespace, Identity: identity, ContextPropagators: []workflow.ContextPropagator{encryptionHeaders{}},
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to the namespace %s: %w", namespace, err)
	}
	w := worker.New(c, domain.DataSourceTaskQueue, worker.Options{
		MaxConcurrentWorkflowTaskPollers: dataSourcePollers, MaxConcurrentActivityTaskPollers: 1,
		WorkerStopTimeout: workerStopGrace,
		OnFatalError: func(error) {
			s.mu.Lock()
			s.deadDataSources[namespace] = true
			s.mu.Unlock()
			s.Check()
		},
	})
	s.o.RegisterDataSources(w)
	if err := w.Start(); err != nil {
		return nil, fmt.Errorf("starting the worker of data sources in %s: %w", namespace, err)
	}
	return w, nil
}

// takeDeadDataSource reports once whether the worker of a namespace has stopped by itself.
func (s *Supervisor) takeDeadDataSource(namespace string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	dead := s.deadDataSources[namespace]
	delete(s.deadDataSources, namespace)
	return dead
}

// stopDataSources stops the workers.
func (s *Supervisor) stopDataSources() {
	for _, w := range s.dataSources {
		w.Stop()
	}
}

// encryptionHeaders passes the headers of encrypted workflows on to activities: the
// service's workflow does not decrypt payloads.
type encryptionHeaders struct{}

var _ workflow.ContextPropagator = encryptionHeaders{}

// encryptionFields is the key of the headers in contexts.
type encryptionFields struct{}

// Inject implements workflow.ContextPropagator.
func (encryptionHeaders) Inject(context.Context, workflow.HeaderWriter) error { return nil }

// InjectFromWorkflow implements workflow.ContextPropagator.
func (encryptionHeaders) InjectFromWorkflow(ctx workflow.Context, to workflow.HeaderWriter) error {
	fields, _ := ctx.Value(encryptionFields{}).(map[string]*commonpb.Payload)
	for name, value := range fields {
		to.Set(name, value)
	}
	return nil
}

// Extract implements workflow.ContextPropagator.
func (encryptionHeaders) Extract(ctx context.Context, _ workflow.HeaderReader) (context.Context, error) {
	return ctx, nil
}

// ExtractToWorkflow implements workflow.ContextPropagator.
func (encryptionHeaders) ExtractToWorkflow(ctx workflow.Context, from workflow.HeaderReader) (workflow.Context, error) {
	fields := map[string]*commonpb.Payload{}
	for _, name := range []string{headerEncoding, headerKeyID} {
		if value, ok := from.Get(name); ok {
			fields[name] = value
		}
	}
	return workflow.WithValue(ctx, encryptionFields{}, fields), nil
}
