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
)

// NamespaceState describes the setup of a namespace.
type NamespaceState struct {
	// Missing is set when there is no such namespace.
	Missing bool
	// Retention is the time for which ended workflows are kept.
	Retention time.Duration
	// Searchable is set when the search attribute that workers' SDKs expect exists;
	// SearchType is its type.
	Searchable bool
	SearchType string
}

// Usable reports whether workers can run in the namespace.
func (s NamespaceState) Usable() bool {
	return !s.Missing && s.Searchable && s.SearchType == enumspb.INDEXED_VALUE_TYPE_INT.String()
}

// SearchAttribute is the search attribute that workers' SDKs expect.
const SearchAttribute = workflowVersion

// InspectNamespace returns the setup of a namespace without changing it.
func (e *Engine) InspectNamespace(ctx context.Context, name string) (NamespaceState, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	described, err := e.workflows.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if NamespaceMissing(err) {
		return NamespaceState{Missing: true}, nil
	}
	if err != nil {
		return NamespaceState{}, fmt.Errorf("describing the namespace %s: %w", name, err)
	}
	state := NamespaceState{Retention: described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration()}
	if e.useNamespace(ctx, name) == nil {
		// Listing the attributes may need the permission of an administrator.
		state.Searchable, state.SearchType = true, enumspb.INDEXED_VALUE_TYPE_INT.String()
		return state, nil
	}
	attributes, err := e.operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: name})
	if err != nil {
		return NamespaceState{}, fmt.Errorf("listing the search attributes of the namespace %s: %w", name, err)
	}
	kind, found := attributes.GetCustomAttributes()[workflowVersion]
	state.Searchable, state.SearchType = found, kind.String()
	return state, nil
}

// InspectSchedule reports whether a schedule of the service's own exists and is
// not paused.
func (e *Engine) InspectSchedule(ctx context.Context, id string) (active bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	described, err := e.client.ScheduleClient().GetHandle(ctx, id).Describe(ctx)
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) || NamespaceMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("describing the schedule %s: %w", id, err)
	}
	return described.Schedule.State == nil || !described.Schedule.State.Paused, nil
}
