package procession

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"go.temporal.io/sdk/temporal"

	"github.com/procession-dev/procession/sdk/rest"
)

// RestFailure is the failure type of a refused REST call in workflows, as the other SDKs name it. The detail of such a
// failure is the rest.DefaultError that the service answered.
const RestFailure = "KuFlowActivities.RestFailure"

// ErrAccessRevoked is in the error of Worker.Run when the service no longer accepts the worker's credentials.
var ErrAccessRevoked = errors.New("the service refuses the worker's credentials")

// ResponseError is a response other than 2xx. Body is the error of the service, or derived from the status if the response
// has another body, for example a page of a proxy.
type ResponseError struct {
	Status int
	Body   rest.DefaultError

	retryAfter string
}

// Error names the status, the message and each code with its location.
func (e *ResponseError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "HTTP %d: %s", e.Status, e.Body.Message)
	for _, info := range e.Body.Errors {
		fmt.Fprintf(&text, " [%s", info.Code)
		if info.Location != nil && info.LocationType != nil {
			fmt.Fprintf(&text, " at %s %s", *info.LocationType, *info.Location)
		}
		text.WriteString("]")
	}
	return text.String()
}

// Temporary reports whether the same call may succeed later: 408, 429 and every 5xx but 501 and 505.
func (e *ResponseError) Temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	default:
		return e.Status >= http.StatusInternalServerError
	}
}

// Temporary reports whether a call that failed with err may succeed later: when the service was not reached, or when its
// answer is a temporary *ResponseError.
func Temporary(err error) bool {
	if refused, ok := errors.AsType[*ResponseError](err); ok {
		return refused.Temporary()
	}
	_, broken := errors.AsType[*networkError](err)
	return broken
}

// Status returns the HTTP status in err, or 0 when err is not an answer of the service.
func Status(err error) int {
	if refused, ok := errors.AsType[*ResponseError](err); ok {
		return refused.Status
	}
	return 0
}

// HasCode reports whether err is an answer of the service with that error code.
func HasCode(err error, code rest.ErrorCode) bool {
	refused, ok := errors.AsType[*ResponseError](err)
	return ok && slices.ContainsFunc(refused.Body.Errors, func(info rest.DefaultErrorInfo) bool { return info.Code == code })
}

func newResponseError(response *http.Response, answer []byte) *ResponseError {
	refused := &ResponseError{Status: response.StatusCode, retryAfter: response.Header.Get("Retry-After")}
	if err := json.Unmarshal(answer, &refused.Body); err != nil || refused.Body.Message == "" {
		refused.Body = rest.DefaultError{Status: response.StatusCode, Message: http.StatusText(response.StatusCode)}
	}
	return refused
}

// networkError marks a failure below HTTP. The effect of the request is unknown.
type networkError struct{ cause error }

func (e *networkError) Error() string { return e.cause.Error() }
func (e *networkError) Unwrap() error { return e.cause }

// activityError turns a refused REST call into a failure of Temporal: a permanent refusal fails the workflow at once,
// everything else is retried.
func activityError(err error) error {
	refused, ok := errors.AsType[*ResponseError](err)
	if !ok {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), RestFailure, temporal.ApplicationErrorOptions{
		NonRetryable: !refused.Temporary(),
		Details:      []any{refused.Body},
	})
}
