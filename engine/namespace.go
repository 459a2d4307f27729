package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	// workflowVersion is the search attribute that workers' SDKs may set.
	workflowVersion = "KuFlowWorkflowVersion"

	// A new namespace or search attribute reaches all of Temporal's servers only
	// after some seconds.
	usableTimeout = 30 * time.Second
	usablePoll    = 250 * time.Millisecond
)

// EnsureNamespace registers a namespace, if it is missing, together with the
// search attribute that workers' SDKs expect, and waits until both can be used. Neither needs a permission of
// administrators if both exist. Several processes may call it concurrently.
func (e *Engine) EnsureNamespace(ctx context.Context, name string) error {
	if callOnce(ctx, func(ctx context.Context) error { return e.useNamespace(ctx, name) }) == nil {
		return nil
	}
	if e.provision != nil {
		managed, err := e.provision(ctx, name)
		if err == nil && managed {
			err = e.awaitUsable(ctx, name)
		}
		if err != nil || managed {
			return err
		}
	}
	if err := e.registerNamespace(ctx, name); err != nil {
		return deniedError(err, "registering the namespace %s: %w", name, RegisterCommand(name, e.retention))
	}
	if err := e.addSearchAttribute(ctx, name); err != nil {
		return deniedError(err, "adding the search attribute of the namespace %s: %w", name, AttributeCommand(name))
	}
	if err := e.awaitUsable(ctx, name); err != nil {
		return fmt.Errorf("waiting for the namespace %s: %w", name, err)
	}
	return nil
}

func (e *Engine) registerNamespace(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	_, err := e.workflows.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if !NamespaceMissing(err) {
		return err
	}
	_, err = e.workflows.RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(e.retention),
	})
	if _, ok := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); ok {
		return nil
	}
	return err
}

func (e *Engine) addSearchAttribute(ctx context.Context, name string) error {
	return pollUntilUsable(ctx, func(ctx context.Context) error {
		attributes, err := e.operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: name})
		if err != nil {
			return err
		}
		if _, ok := attributes.GetCustomAttributes()[workflowVersion]; ok {
			return nil
		}
		_, err = e.operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace: name,
			SearchAttributes: map[string]enumspb.IndexedValueType{
				workflowVersion: enumspb.INDEXED_VALUE_TYPE_INT,
			},
		})
		if _, ok := errors.AsType[*serviceerror.AlreadyExists](err); ok {
			return nil
		}
		return err
	})
}

func (e *Engine) awaitUsable(ctx context.Context, name string) error {
	return pollUntilUsable(ctx, func(ctx context.Context) error { return e.useNamespace(ctx, name) })
}

// useNamespace uses the search attribute of a namespace. It returns an error while one of them is missing.
func (e *Engine) useNamespace(ctx context.Context, name string) error {
	_, err := e.workflows.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: name, Query: workflowVersion + " = 0",
	})
	return err
}

// RegisterCommand returns the command of an administrator of Temporal that creates a namespace.
func RegisterCommand(name string, retention time.Duration) string {
	return fmt.Sprintf("temporal operator namespace create --namespace %s --retention %.0fh", name, retention.Hours())
}

// AttributeCommand returns the command of an administrator of Temporal that adds the search attribute to a namespace.
func AttributeCommand(name string) string {
	return fmt.Sprintf("temporal operator search-attribute create --namespace %s --name %s --type Int", name, workflowVersion)
}

// deniedError wraps an error. If Temporal denied the call, it names the command for an administrator of Temporal.
func deniedError(err error, format, name, command string) error {
	err = fmt.Errorf(format, name, err)
	if _, ok := errors.AsType[*serviceerror.PermissionDenied](err); ok {
		return fmt.Errorf("%w; the service lacks the permission, so an administrator of Temporal has to run: %s", err, command)
	}
	return err
}

// pollUntilUsable repeats f until it succeeds, for at most usableTimeout. It returns at once
// when Temporal is unavailable.
func pollUntilUsable(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, usableTimeout)
	defer cancel()
	ticker := time.NewTicker(usablePoll)
	defer ticker.Stop()
	for {
		err := callOnce(ctx, f)
		if err == nil || Unavailable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticker.C:
		}
	}
}

func callOnce(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	return f(ctx)
}
