package domain

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// MessageChannel is the transport of an outgoing message.
type MessageChannel string

// The channels.
const (
	ChannelMail MessageChannel = "MAIL"
	// ChannelChat posts JSON to the URL of a receiver of notifications.
	ChannelChat MessageChannel = "CHAT"
)

// MessageChannels returns the channels.
func MessageChannels() []MessageChannel { return []MessageChannel{ChannelMail, ChannelChat} }

// MessageState is the state of an outgoing message.
type MessageState string

// The states.
const (
	MessagePending MessageState = "PENDING"
	MessageSent    MessageState = "SENT"
	// MessageDead is the state of a message that was refused for good, or not accepted within MessageLifetime.
	MessageDead MessageState = "DEAD"
)

// MessageStates returns the states.
func MessageStates() []MessageState { return []MessageState{MessagePending, MessageSent, MessageDead} }

const (
	// MessageLifetime is the time after which an unsent message is dead.
	MessageLifetime = 48 * time.Hour
	// MessageRetention is how long a finished message is kept.
	MessageRetention = 30 * 24 * time.Hour
	// MessageSubjectLength limits subjects, in characters. Longer ones are cut.
	MessageSubjectLength = 200
	// MessageBodyLength limits bodies, in characters. Longer ones are cut.
	MessageBodyLength = 100_000

	firstMessageDelay = 30 * time.Second
	lastMessageDelay  = time.Hour
)

// OutgoingMessage is a message for the outbox. Recipients are the addresses of a mail; a chat message goes to the URL of
// ReceiverID, which is nil for a mail that is no notification. Body is the text of a mail or the JSON of a chat message, HTML
// the alternative of a mail, "" for none. A message with a DedupKey that the tenant has used for a recipient is not stored again.
type OutgoingMessage struct {
	TenantID      uuid.UUID
	Channel       MessageChannel
	ReceiverID    *uuid.UUID
	Recipients    []string
	Subject, Body string
	HTML          string
	DedupKey      string
	// Unsubscribe is the address of RFC 8058 that ends such mails, "" for none.
	Unsubscribe string
}

// DueMessage is a message that is leased for an attempt to one recipient.
type DueMessage struct {
	ID            uuid.UUID
	TenantID      uuid.UUID
	Channel       MessageChannel
	Recipient     string
	Subject, Body string
	HTML          string
	Unsubscribe   string
	// Attempts counts the attempts, including this one.
	Attempts  int
	CreatedAt time.Time
	// URL is the current URL of the receiver of a chat message, "" if there is no such receiver any more.
	URL string
}

// MessageResult is the outcome of an attempt. Failure is "" for an accepted message. DueAt is the time of the next attempt, the
// zero time for none.
type MessageResult struct {
	ID, TenantID uuid.UUID
	Attempt      int
	At, DueAt    time.Time
	Failure      string
}

// State returns the state of the message after the attempt.
func (r *MessageResult) State() MessageState {
	switch {
	case r.Failure == "":
		return MessageSent
	case r.DueAt.IsZero():
		return MessageDead
	default:
		return MessagePending
	}
}

// RetryAt returns the time of the next attempt after a failure at now, the zero time if the message is too old. Jitter is a
// random number from 0 up to 1, after a request of the receiver for a delay.
func (m *DueMessage) RetryAt(now time.Time, jitter float64, after time.Duration) time.Time {
	const enough = 7 // doublings until lastMessageDelay
	delay := min(lastMessageDelay, firstMessageDelay<<min(m.Attempts-1, enough))
	delay = max(time.Duration(float64(delay)*(0.8+0.4*jitter)), min(after, lastMessageDelay))
	if at := now.Add(delay); at.Before(m.CreatedAt.Add(MessageLifetime)) {
		return at
	}
	return time.Time{}
}

// MessageInfo is an outgoing message as administrators see it.
type MessageInfo struct {
	ID           uuid.UUID
	TenantCode   string
	ReceiverCode string
	Channel      MessageChannel
	Recipient    string
	Subject      string
	State        MessageState
	Attempts     int
	Failure      string
	CreatedAt    time.Time
	DueAt        *time.Time
	FinishedAt   *time.Time
}

// CutText cuts a text to a number of characters and replaces the last one by an ellipsis.
func CutText(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return strings.TrimRight(string(runes[:limit-1]), " ") + "…"
}
