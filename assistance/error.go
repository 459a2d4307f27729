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
	// CodeRateLimited: the provider was asked too often.
	CodeRateLimited ErrorCode = "RATE_LIMITED"
	// CodeUnauthorized: the provider does not accept the key.
	CodeUnauthorized ErrorCode = "PROVIDER_UNAUTHORIZED"
	// CodeRefused: the provider does not accept the request, whatever the time.
	CodeRefused ErrorCode = "PROVIDER_REFUSED"
	// CodeInvalidAnswer: the answer is not what was asked for.
	CodeInvalidAnswer ErrorCode = "INVALID_ANSWER"
	// CodeTruncated: the model stopped before the answer was complete.
	CodeTruncated ErrorCode = "TRUNCATED"
	// CodeFiltered: the provider withheld the answer, or the model declined.
	CodeFiltered ErrorCode = "CONTENT_FILTERED"
)

// Error is returned when a provider gives no answer. It holds no secrets.
type Error struct {
	Code ErrorCode
	// Message is for people, and safe to show.
	Message string
	// RetryAfter is how long the provider wants to be left alone, 0 when it does
	// not say.
	RetryAfter time.Duration
	// Status is the HTTP status, 0 without an answer.
	Status int
	// FinishReason is the reason why the model stopped, when it did.
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
