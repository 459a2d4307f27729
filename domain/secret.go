package domain

const redacted = "[redacted]"

// Secret is a text that must reach the caller and nobody else: a token, a
// private key. Printing, logging and encoding it yield a placeholder, however
// deep in a struct it lies; only Reveal gives the text.
type Secret struct {
	// A pointer, because package fmt prints the fields of what it may not call
	// methods on, and of a pointer only the address.
	text *string
}

// NewSecret hides text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal returns the text. It is for the answer to the caller, never for a log
// or an error.
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

// MarshalText returns a placeholder. Encoders and the handlers of logs use it.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
