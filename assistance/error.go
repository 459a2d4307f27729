package assistance

import "time"

// ErrorCode is the reason why there is no answer. A failed run shows it.
type ErrorCode string

// The error codes.
const (
	// CodeTimeout: the provider did not answer in time.
	CodeTimeout ErrorCode = "TIMEOUT"
	// CodeUnavailable: the provider cannot be reached, or reports that it
	// cannot answer now.
	CodeUnavailable ErrorCode = "PROVIDER_UNAVAILABLE"
	// CodeRateLimited: the provider received too many requests.
	CodeRateLimited ErrorCode = "RATE_LIMITED"
	// CodeUnauthorized: the provider does not accept the key.
	CodeUnauthorized ErrorCode = "PROVIDER_UNAUTHORIZED"
	// CodeRefused: the provider refuses the request permanently.
	CodeRefused ErrorCode = "PROVIDER_REFUSED"
	// CodeInvalidAnswer: the answer does not fit the request.
	CodeInvalidAnswer ErrorCode = "INVALID_ANSWER"
	// CodeTruncated: the model stopped before the answer was complete.
	CodeTruncated ErrorCode = "TRUNCATED"
	// CodeFiltered: the provider withheld the answer, or the model declined.
	CodeFiltered ErrorCode = "CONTENT_FILTERED"
)

// Error is returned if a provider gives no answer. It contains no secrets.
type Error struct {
	Code ErrorCode
	// Message is safe to show.
	Message string
	// RetryAfter is the delay requested by the provider, 0 for none.
	RetryAfter time.Duration
	// Status is the HTTP status, 0 without an answer.
	Status int
	// FinishReason is the reason why the model stopped, if it did.
	FinishReason string
	// Cause may be nil. It is for the log.
	Cause error
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Retryable reports whether the same request may be answered later.
func (e *Error) Retryable() bool {
	switch e.Code {
	case CodeTimeout, CodeUnavailable, CodeRateLimited:
		return true
	case CodeUnauthorized, CodeRefused, CodeInvalidAnswer, CodeTruncated, CodeFiltered:
	}
	return false
}
