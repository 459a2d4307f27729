package domain

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protowire"
)

// ActivityToken is the token by which Temporal identifies a pending activity. With access to the namespace it
// allows to complete the activity, so printing, logging and encoding it yield a placeholder.
type ActivityToken []byte

// Format prints a placeholder, for every verb.
func (ActivityToken) Format(to fmt.State, _ rune) { _, _ = fmt.Fprint(to, redacted) }

// MarshalText returns a placeholder. Encoders and log handlers use it.
func (ActivityToken) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// The fields of Temporal's token that are checked. Other fields may be present: newer servers, and proxies ahead
// of Temporal, add some.
const (
	tokenWorkflowID       = protowire.Number(2)
	tokenScheduledEventID = protowire.Number(4)
	tokenComponent        = protowire.Number(14)
)

// OfProcess reports whether the token belongs to an activity scheduled by the workflow of a process. Without the
// event of the schedule Temporal would find the activity by its id, which can be guessed, and complete it even before
// it has started; with a component it would not check the workflow. In a shared namespace the id of the workflow follows the code of
// the tenant and a dot.
func (t ActivityToken) OfProcess(process uuid.UUID) bool {
	var workflow string
	var scheduled uint64
	for rest := []byte(t); len(rest) > 0; {
		number, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return false
		}
		rest = rest[n:]
		size := protowire.ConsumeFieldValue(number, kind, rest)
		if size < 0 || number == tokenComponent {
			return false
		}
		// The last occurrence of a field counts, as everywhere in this encoding.
		switch {
		case number == tokenWorkflowID && kind == protowire.BytesType:
			value, _ := protowire.ConsumeBytes(rest)
			workflow = string(value)
		case number == tokenScheduledEventID && kind == protowire.VarintType:
			scheduled, _ = protowire.ConsumeVarint(rest)
		case number == tokenWorkflowID, number == tokenScheduledEventID:
			return false
		}
		rest = rest[size:]
	}
	id := processWorkflowID(process)
	return (workflow == id || strings.HasSuffix(workflow, "."+id)) && int64(scheduled) > 0
}
