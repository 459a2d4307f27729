package resource

import (
	"encoding/json"
	"net/mail"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/notice"
)

// NotificationReceiverSpec describes who is told problems of the tenant.
type NotificationReceiverSpec struct {
	// Name is the display name of the receiver, 1..255 characters.
	Name string `json:"name" right:"no"`
	// Type is EMAIL, CHAT or WEBHOOK.
	Type domain.ReceiverType `json:"type" right:"yes"`
	// EventTypes are the problems to tell, all unless given. The end of a problem is told too.
	EventTypes []string `json:"eventTypes,omitempty" right:"yes"`
	// Addresses receive the mails of EMAIL.
	Addresses []string `json:"addresses,omitempty" right:"yes"`
	// URL receives the messages of CHAT. It is a credential: who knows it may write to the channel.
	URL string `json:"url,omitempty" right:"yes"`
	// Preset is the kind of chat: SLACK, TEAMS or MATTERMOST. It sets the template and the escaping of texts.
	Preset string `json:"preset,omitempty" right:"no"`
	// Template is the JSON of a message of CHAT, required without a preset. {{title}}, {{text}}, {{link}}, {{tenant}},
	// {{problem}} and {{count}} in its strings are replaced.
	Template json.RawMessage `json:"template,omitempty" right:"no"`
	// WebhookSubscription is the code of the subscription for WEBHOOK.
	WebhookSubscription string `json:"webhookSubscription,omitempty" right:"yes"`
	// QuietHours is a daily interval without messages, in the time zone of the tenant.
	QuietHours *QuietHoursSpec `json:"quietHours,omitempty" right:"no"`
	// Paused receivers get no messages, also later.
	Paused bool `json:"paused,omitempty" right:"no"`
}

// QuietHoursSpec is a daily interval, as HH:MM. It passes midnight if From is after To.
type QuietHoursSpec struct {
	From string `json:"from" right:"no"`
	To   string `json:"to" right:"no"`
}

func (*NotificationReceiverSpec) fillDefaults() {}

func (s *NotificationReceiverSpec) checkSpec(r *report) {
	email, chat, webhook := []string{string(domain.ReceiverEmail)}, []string{string(domain.ReceiverChat)}, []string{string(domain.ReceiverWebhook)}
	checkUses([]use{
		{member: "addresses", present: len(s.Addresses) > 0, types: email, required: true},
		{member: "url", present: s.URL != "", types: chat, required: true},
		{member: "preset", present: s.Preset != "", types: chat},
		{member: "template", present: len(s.Template) > 0, types: chat, required: s.Preset == ""},
		{member: "webhookSubscription", present: s.WebhookSubscription != "", types: webhook, required: true},
	}, string(s.Type), "/spec", r)
	for i, address := range s.Addresses {
		if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address {
			r.add(extendPointer("/spec/addresses", i), "must be a mail address such as sarah@example.com")
		}
	}
	if len(s.Template) > 0 {
		if err := notice.CheckTemplate(s.Template); err != nil {
			r.add("/spec/template", "%s", err.Error())
		}
	}
	if q := s.QuietHours; q != nil {
		if err := notice.QuietHours(*q).Check(); err != nil {
			r.add("/spec/quietHours", "%s", err.Error())
		}
	}
}

// Problems returns the names of the problems to tell.
func (s *NotificationReceiverSpec) Problems() []string {
	if len(s.EventTypes) > 0 {
		return s.EventTypes
	}
	return domain.ProblemNames()
}

// References implements Spec: a receiver of the type WEBHOOK refers to the subscription.
func (s *NotificationReceiverSpec) References() []Reference {
	var found references
	found.add(KindWebhookSubscription, s.WebhookSubscription, "/spec/webhookSubscription")
	return found
}

// Rights implements Spec.
func (*NotificationReceiverSpec) Rights() []Right { return nil }

func (s *NotificationReceiverSpec) displayName() string { return s.Name }

// Message returns the message for the outbox that tells the receiver, of the type EMAIL or CHAT, a notification.
func (s *NotificationReceiverSpec) Message(tenant, receiver uuid.UUID, m notice.Message) (domain.OutgoingMessage, error) {
	message := domain.OutgoingMessage{
		TenantID: tenant, Channel: domain.ChannelMail, ReceiverID: &receiver, Recipients: s.Addresses, Subject: m.Title,
		Body: m.MailText(), DedupKey: uuid.NewString(),
	}
	if s.Type == domain.ReceiverChat {
		body, err := notice.RenderChat(s.Preset, s.Template, m)
		if err != nil {
			return message, err
		}
		message.Channel, message.Body = domain.ChannelChat, string(body)
		return message, nil
	}
	var err error
	message.HTML, err = m.MailHTML()
	return message, err
}
