package enginetest

import (
	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/procession-dev/procession/domain"
)

// ActivityToken returns a token such as Temporal gives for an activity that a
// process's workflow has scheduled.
func ActivityToken(process uuid.UUID, activity string) domain.ActivityToken {
	return TokenOf("process-"+process.String(), activity, 5)
}

// TokenOf returns a token such as Temporal gives for the activity of a workflow that
// the event has scheduled, none if that is 0.
func TokenOf(workflow, activity string, scheduled uint64) domain.ActivityToken {
	var token []byte
	for number, text := range map[protowire.Number]string{1: uuid.NewString(), 2: workflow, 3: uuid.NewString(), 6: activity} {
		token = protowire.AppendString(protowire.AppendTag(token, number, protowire.BytesType), text)
	}
	if scheduled != 0 {
		token = protowire.AppendVarint(protowire.AppendTag(token, 4, protowire.VarintType), scheduled)
	}
	return token
}

// ActivityOf returns the activity that a token made here names.
func ActivityOf(token domain.ActivityToken) string {
	for rest := []byte(token); len(rest) > 0; {
		number, kind, n := protowire.ConsumeTag(rest)
		if number == 6 {
			name, _ := protowire.ConsumeBytes(rest[n:])
			return string(name)
		}
		rest = rest[n+protowire.ConsumeFieldValue(number, kind, rest[n:]):]
	}
	return ""
}
