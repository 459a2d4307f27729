package extract

import "fmt"

// Reason is the reason why a document has no text.
type Reason string

// The reasons.
const (
	// ReasonType: the type of document is not supported.
	ReasonType Reason = "UNSUPPORTED_TYPE"
	// ReasonTooLarge: the document, or its unpacked content, exceeds a limit.
	ReasonTooLarge Reason = "TOO_LARGE"
	// ReasonTooSlow: reading took longer than allowed.
	ReasonTooSlow Reason = "TOO_SLOW"
	// ReasonEncrypted: the document requires a password.
	ReasonEncrypted Reason = "ENCRYPTED"
	// ReasonBroken: the document is not of the declared format, or is damaged.
	ReasonBroken Reason = "BROKEN"
	// ReasonEmpty: there is no text in it; it may be a scan.
	ReasonEmpty Reason = "NO_TEXT"
	// ReasonUnreadable: its bytes are not available.
	ReasonUnreadable Reason = "UNREADABLE"
)

// Error is returned for a document without text for a model, with the reason.
// It is safe to show.
type Error struct {
	// Document is its file name.
	Document string
	Reason   Reason
	// Cause may be nil. It is for the log.
	Cause error
}

// Error names the document and the reason.
func (e *Error) Error() string {
	return fmt.Sprintf("%q %s", e.Document, e.Reason.reasonText())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

func (r Reason) reasonText() string {
	switch r {
	case ReasonType:
		return "is of a type that is not read"
	case ReasonTooLarge:
		return "is too large"
	case ReasonTooSlow:
		return "takes too long to read"
	case ReasonEncrypted:
		return "is encrypted"
	case ReasonBroken:
		return "is damaged or not of the type it says"
	case ReasonEmpty:
		return "holds no text"
	case ReasonUnreadable:
		return "could not be opened"
	}
	return string(r)
}
