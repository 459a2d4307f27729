package cloud

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/cloud-sdk/api/cloudservice/v1"
	"go.temporal.io/cloud-sdk/api/operation/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	// operationTimeout bounds the wait for an operation. Longer ones are waited for again in the next pass.
	operationTimeout = 2 * time.Minute
	firstPoll        = 200 * time.Millisecond
	maxPoll          = 10 * time.Second
	// maxOperations bounds the repetitions of an operation that failed.
	maxOperations = 50
)

// operationID returns the id of an attempt at an operation (RFC 9562, section 5.5).
func operationID(action, subject string, attempt int) string {
	space := uuid.NewSHA1(uuid.NameSpaceURL, []byte("procession operations of Temporal Cloud"))
	return uuid.NewSHA1(space, []byte(action+"\x00"+subject+"\x00"+strconv.Itoa(attempt))).String()
}

// pollUntil calls f with growing pauses until it is done, fails, or ctx ends.
func pollUntil(ctx context.Context, f func(context.Context) (done bool, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, operationTimeout)
	defer cancel()
	for pause := firstPoll; ; pause = min(2*pause, maxPoll) {
		done, err := f(ctx)
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errPending
		case <-time.After(pause):
		}
	}
}

var errPending = errors.New("Temporal Cloud is still at work") //nolint:staticcheck // a name

// applyChange makes a change and waits for its end. Action names it; subject is the resource with its version. start sends the
// request. If the operation of another replica, or of a program that crashed, is found, joined is true and only waited for.
func (a *Account) applyChange(
	ctx context.Context, action, subject string, start func(id string) (*operation.AsyncOperation, error),
) (joined bool, err error) {
	id, running, err := a.nextOperation(ctx, action, subject)
	if err != nil {
		return false, err
	}
	joined = running != nil
	if !joined {
		running, err = start(id)
		if status.Code(err) == codes.AlreadyExists {
			if found, lookup := a.getOperation(ctx, id); lookup == nil {
				running, joined, err = found, true, nil
			}
		}
		if err != nil {
			return false, explainError(err, "%s", action)
		}
	}
	if err := a.awaitOperation(ctx, running); err != nil {
		return joined, fmt.Errorf("%s: %w", action, err)
	}
	return joined, nil
}

// nextOperation returns the id of the next operation about a subject, and the operation if it is running. Ids are deterministic: after
// a crash, or in another replica, the same one is found and waited for. An id of an ended operation is not used again.
func (a *Account) nextOperation(ctx context.Context, action, subject string) (id string, running *operation.AsyncOperation, err error) {
	for attempt := range maxOperations {
		id = operationID(action, subject, attempt)
		found, err := a.getOperation(ctx, id)
		if code := status.Code(err); code == codes.NotFound || code == codes.PermissionDenied {
			return id, nil, nil
		}
		if err != nil {
			return "", nil, explainError(err, "looking up an operation")
		}
		if isRunning(found) {
			return id, found, nil
		}
	}
	return "", nil, fmt.Errorf("%s: %d operations were not successful", action, maxOperations)
}

func (a *Account) getOperation(ctx context.Context, id string) (*operation.AsyncOperation, error) {
	answer, err := a.service.GetAsyncOperation(ctx, &cloudservice.GetAsyncOperationRequest{AsyncOperationId: id})
	return answer.GetAsyncOperation(), err
}

func isRunning(o *operation.AsyncOperation) bool {
	switch o.GetState() { //nolint:exhaustive // all others are final
	case operation.AsyncOperation_STATE_UNSPECIFIED, operation.AsyncOperation_STATE_PENDING, operation.AsyncOperation_STATE_IN_PROGRESS:
		return true
	}
	return false
}

// awaitOperation waits for the end of an operation, and returns an error unless it was successful.
func (a *Account) awaitOperation(ctx context.Context, o *operation.AsyncOperation) error {
	return pollUntil(ctx, func(ctx context.Context) (done bool, err error) {
		switch {
		case o.GetState() == operation.AsyncOperation_STATE_FULFILLED:
			return true, nil
		case !isRunning(o):
			return false, fmt.Errorf("the operation was not successful: %s", o.GetFailureReason())
		}
		id := o.GetId()
		if o, err = a.getOperation(ctx, id); err != nil {
			return false, explainError(err, "waiting for the operation %s", id)
		}
		return false, nil
	})
}
