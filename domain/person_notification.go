package domain

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/translation"
)

// NotificationKind is the reason of a notification of a person.
type NotificationKind string

// The kinds of notifications, the most important first: an event notifies a person once.
const (
	NotifyMentioned NotificationKind = "MENTIONED"
	NotifyAssigned  NotificationKind = "ASSIGNED"
	NotifyOverdue   NotificationKind = "OVERDUE"
	NotifyDueSoon   NotificationKind = "DUE_SOON"
	NotifyClaimable NotificationKind = "CLAIMABLE"
	NotifyMessage   NotificationKind = "MESSAGE"
	NotifyFinished  NotificationKind = "FINISHED"
)

// NotificationKinds returns all kinds, in their order.
func NotificationKinds() []NotificationKind {
	return []NotificationKind{
		NotifyMentioned, NotifyAssigned, NotifyOverdue, NotifyDueSoon, NotifyClaimable, NotifyMessage, NotifyFinished,
	}
}

const (
	// NotificationRetention is the time for which notifications of people are kept.
	NotificationRetention = 90 * 24 * time.Hour
	// NotificationBellLimit bounds the count of unread notifications.
	NotificationBellLimit = 100
	// MessageRecipients bounds the participants of a process that a message notifies.
	MessageRecipients = 50
	// EscalationRecipients bounds the people that a step of an escalation notifies.
	EscalationRecipients = 50
	// ClaimableAge is the maximum age of the last new task of a digest.
	ClaimableAge = 14 * 24 * time.Hour
)

// Notification is a notification of a person. Its id is the id of its event.
type Notification struct {
	ID, TenantID, ProcessID uuid.UUID
	Kind                    NotificationKind
	ItemID                  *uuid.UUID
	ActorID                 uuid.UUID
	CreatedAt               time.Time
	ReadAt                  *time.Time
	// Subject is the subject of the process, ActorName the name of the actor, and ItemName the name of the task.
	Subject, ActorName string
	ItemName           translation.Name
}

// ClaimableDigest is the number of tasks of an item definition that a person may claim and has not been told.
type ClaimableDigest struct {
	TenantID, ItemDefinitionID uuid.UUID
	Code                       string
	Name                       translation.Name
	Tasks                      int64
	LastAt                     time.Time
}

// NotificationList is a page of the notifications of a person, with the digests of claimable tasks and the number of unread entries,
// up to NotificationBellLimit.
type NotificationList struct {
	Page[Notification]

	Claimable []ClaimableDigest
	Unread    int
}

// MailChoice is the choice of a person for mails about a kind of notification.
type MailChoice string

// The choices.
const (
	MailAtOnce MailChoice = "AT_ONCE"
	// MailDigest gathers the notifications for a mail at MailDigestHour.
	MailDigest MailChoice = "DIGEST"
	MailNever  MailChoice = "NEVER"
)

// MailChoices returns the choices.
func MailChoices() []MailChoice { return []MailChoice{MailAtOnce, MailDigest, MailNever} }

const (
	// MailDigestHour is the hour of digests in the time zone of the person.
	MailDigestHour = 7
	// MailListed bounds the notifications that a mail lists.
	MailListed = 50
)

// DefaultMail returns the choice of people who have made none.
func (k NotificationKind) DefaultMail() MailChoice {
	switch k {
	case NotifyMentioned, NotifyAssigned, NotifyOverdue:
		return MailAtOnce
	case NotifyDueSoon, NotifyMessage, NotifyFinished:
		return MailDigest
	case NotifyClaimable:
	}
	return MailNever
}

// NextDigest returns the time of the next digest in a time zone.
func NextDigest(now time.Time, zone *time.Location) time.Time {
	local := now.In(zone)
	at := time.Date(local.Year(), local.Month(), local.Day(), MailDigestHour, 0, 0, 0, zone)
	if !at.After(now) {
		at = time.Date(local.Year(), local.Month(), local.Day()+1, MailDigestHour, 0, 0, 0, zone)
	}
	return at
}

// NotificationMail is a mail about notifications of a person. Its entries have no subjects of processes, which users entered.
type NotificationMail struct {
	RecipientID uuid.UUID
	Email       string
	// Locale is the language of the person, "" if unknown.
	Locale     string
	TenantName string
	Zone       *time.Location
	Entries    []Notification
	// DefinitionNames are the names of the definitions of the processes of the entries.
	DefinitionNames []translation.Name
	// BaseURL is the beginning of links, Unsubscribe the address that ends mails of these kinds.
	BaseURL, Unsubscribe string
}
