package domain

import "fmt"

// ActivityToken is the token by which Temporal knows an activity that is under
// way. Together with access to the namespace it allows to complete the activity,
// so printing, logging and encoding it yield a placeholder.
type ActivityToken []byte

// Format prints a placeholder, whatever the verb.
func (ActivityToken) Format(to fmt.State, _ rune) { _, _ = fmt.Fprint(to, redacted) }

// MarshalText returns a placeholder. Encoders and the handlers of logs use it.
func (ActivityToken) MarshalText() ([]byte, error) { return []byte(redacted), nil }
