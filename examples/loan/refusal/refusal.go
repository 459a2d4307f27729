// Package refusal turns failed REST calls into Temporal failures that are retried or not.
package refusal

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// Type is the failure type of a refused REST call, as the public SDKs name it; its detail is the error body.
const Type = "KuFlowActivities.RestFailure"

// Failure turns a REST error into a Temporal failure: a permanent refusal (4xx except 408 and 429) fails the workflow
// at once, everything else is retried.
func Failure(err error) error {
	refused, ok := errors.AsType[*restapi.ResponseError](err)
	if !ok {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), Type, temporal.ApplicationErrorOptions{
		NonRetryable: !refused.Temporary(),
		Details:      []any{refused.Body},
	})
}
