package restapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// DefaultError is the body of every refused call.
type DefaultError struct {
	Timestamp string      `json:"timestamp,omitempty"`
	Status    int         `json:"status"`
	Message   string      `json:"message"`
	Errors    []ErrorInfo `json:"errors,omitempty"`
}

// ErrorInfo is one violation: a stable code, a text for people, and where in the request it is.
type ErrorInfo struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	Location     string `json:"location,omitempty"`
	LocationType string `json:"locationType,omitempty"`
}

// ResponseError is an answer outside 2xx. Status is the HTTP status; Body is what the service said, or a body made from
// the status when the answer was not the service's (a proxy's page, for instance).
type ResponseError struct {
	Operation string
	Status    int
	Body      DefaultError
}

// Error names the status, the message and each code with its location.
func (e *ResponseError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "HTTP %d: %s", e.Status, e.Body.Message)
	for _, info := range e.Body.Errors {
		fmt.Fprintf(&text, " [%s", info.Code)
		if info.Location != "" {
			fmt.Fprintf(&text, " at %s %s", info.LocationType, info.Location)
		}
		text.WriteString("]")
	}
	return text.String()
}

// Temporary says whether the same call may succeed later: 408, 429 and every 5xx but 501 and 505.
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

func newResponseError(operation string, status int, answer []byte) *ResponseError {
	refused := &ResponseError{Operation: operation, Status: status}
	if err := json.Unmarshal(answer, &refused.Body); err != nil || refused.Body.Message == "" {
		refused.Body = DefaultError{Status: status, Message: http.StatusText(status)}
	}
	return refused
}
