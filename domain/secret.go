package domain

const redacted = "[redacted]"

// Secret is a text that only the caller may receive: a token, a private key. Printing, logging and encoding it
// yield a placeholder, however deep in a struct it lies; only Reveal returns the text.
type Secret struct {
	// A pointer, because package fmt prints unexported fields without calling their methods, but prints only the
	// address of a pointer.
	text *string
}

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal returns the text. Use it only for the response to the caller, never for a log or an error.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String returns a placeholder.
func (Secret) String() string { return redacted }

// GoString returns a placeholder.
func (Secret) GoString() string { return redacted }

// MarshalText returns a placeholder. Encoders and log handlers use it.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
