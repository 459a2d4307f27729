package restapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// DefaultError is the body of every refused call.
type DefaultError struct {
	Status  int         `json:"status"`
	Message string      `json:"message"`
	Errors  []ErrorInfo `json:"errors,omitempty"`
}

// ErrorInfo is one violation: a stable code, a text for people, and where in the request it is.
type ErrorInfo struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	Location     string `json:"location,omitempty"`
	LocationType string `json:"locationType,omitempty"`
}

// ResponseError is an answer outside 2xx. Body is what the service said, or is made from the status when the answer was
// not the service's.
type ResponseError struct {
	Status int
	Body   DefaultError
}

// Error names the status, the message and each code with its location.
func (e *ResponseError) Error() string {
	text := fmt.Sprintf("HTTP %d: %s", e.Status, e.Body.Message)
	for _, info := range e.Body.Errors {
		text += fmt.Sprintf(" [%s at %s %s]", info.Code, info.LocationType, info.Location)
	}
	return text
}

// Temporary reports whether the same call may succeed later: 408, 429 and every 5xx.
func (e *ResponseError) Temporary() bool {
	return e.Status == http.StatusRequestTimeout || e.Status == http.StatusTooManyRequests ||
		e.Status >= http.StatusInternalServerError
}

func newResponseError(status int, answer []byte) *ResponseError {
	refused := &ResponseError{Status: status}
	if err := json.Unmarshal(answer, &refused.Body); err != nil || refused.Body.Message == "" {
		refused.Body = DefaultError{Status: status, Message: http.StatusText(status)}
	}
	return refused
}

// withoutQuery takes the address out of an error of the HTTP client: its query may hold an activity token.
func withoutQuery(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}
