// Command saga is a worker for the process TRIP, which books in three other systems. It cancels its bookings in
// reverse order if a later booking fails for good or the process is cancelled.
package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
)

func main() {
	procession.Program{Name: "saga", TaskQueue: "QUEUE_TRIPS", Register: func(w *procession.Worker) error {
		return registerWorkflow(w, ledger{})
	}}.Main()
}

// bookings is a system that bookings are made in. Both are done once for an id, however often they are asked for.
type bookings interface {
	Book(ctx context.Context, id uuid.UUID, what string) error
	GiveBack(ctx context.Context, id uuid.UUID, what string) error
}

// ledger is a system that accepts everything.
type ledger struct{}

func (ledger) Book(context.Context, uuid.UUID, string) error     { return nil }
func (ledger) GiveBack(context.Context, uuid.UUID, string) error { return nil }

// booking is the request of both activities.
type booking struct {
	ID   uuid.UUID
	What string
}

func registerWorkflow(w *procession.Worker, system bookings) error {
	procession.RegisterWorkflow(w, "TripWorkflow", tripWorkflow)
	procession.RegisterActivity(w, "Book", func(ctx context.Context, b booking) (struct{}, error) {
		return struct{}{}, system.Book(ctx, b.ID, b.What)
	})
	procession.RegisterActivity(w, "GiveBack", func(ctx context.Context, b booking) (struct{}, error) {
		return struct{}{}, system.GiveBack(ctx, b.ID, b.What)
	})
	return nil
}

// tripWorkflow books everything or cancels all bookings, and requests a confirmation by a person at the end.
func tripWorkflow(ctx workflow.Context, request procession.WorkflowRequest) (response procession.WorkflowResponse, err error) {
	var made []booking
	defer func() {
		if err == nil {
			return
		}
		// The context of a cancelled workflow runs no activities.
		free, _ := workflow.NewDisconnectedContext(ctx)
		for _, b := range slices.Backward(made) {
			if _, failed := procession.Call[struct{}](free, "GiveBack", b); failed != nil {
				err = fmt.Errorf("giving back the %s: %w", b.What, failed)
			}
		}
	}()
	for _, what := range []string{"flight", "room", "car"} {
		b := booking{ID: procession.ItemID(request.ProcessID, what), What: what}
		// A booking that is cancelled or that failed may have been made: it is given back too.
		made = append(made, b)
		if _, err := procession.Call[struct{}](ctx, "Book", b); err != nil {
			return procession.WorkflowResponse{}, err
		}
	}
	confirmed, err := procession.AwaitTask[struct {
		Accepted bool `json:"ACCEPTED"`
	}](ctx, "CONFIRM")
	if err == nil && !confirmed.Data.Accepted {
		err = temporal.NewNonRetryableApplicationError("the trip was not confirmed", "TripRefused", nil)
	}
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	return procession.WorkflowResponse{Message: "The trip is booked"}, nil
}
