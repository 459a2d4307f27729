package app

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/notifications"
)

// FindMailChoices returns the caller's choices for mails about notifications.
func (s *Service) FindMailChoices(ctx context.Context, call domain.Call) (map[domain.NotificationKind]domain.MailChoice, error) {
	return notifications.ListChoices(ctx, s.store.Reader, call.PrincipalID)
}

// StoreMailChoices stores choices of the caller for mails about notifications. An unknown kind or choice is a VALIDATION error.
func (s *Service) StoreMailChoices(ctx context.Context, call domain.Call, choices map[domain.NotificationKind]domain.MailChoice) error {
	for kind, choice := range choices {
		if !slices.Contains(domain.NotificationKinds(), kind) || !slices.Contains(domain.MailChoices(), choice) {
			return domain.Invalid(domain.LocationBody, string(kind), "is not a choice for mails")
		}
	}
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		for _, kind := range domain.NotificationKinds() {
			if choice, chosen := choices[kind]; chosen {
				notifications.PutChoice(tx, call.PrincipalID, kind, choice)
			}
		}
		return domain.NoEvents(), nil
	})
}

// unsubscribePurpose binds the tokens that end mails.
const unsubscribePurpose = "unsubscribe"

// UnsubscribeToken returns the secret of the address that ends the mails of a person about kinds. Only the service can make one.
func (s *Service) UnsubscribeToken(person uuid.UUID, kinds []domain.NotificationKind) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(kinds)))
	text := person.String()
	for _, kind := range sorted {
		text += " " + string(kind)
	}
	return base64.RawURLEncoding.EncodeToString(s.sealer.Seal(unsubscribePurpose, "", []byte(text)))
}

// openUnsubscribe returns the person and the kinds of a token. Any other token is NOT_FOUND.
func (s *Service) openUnsubscribe(token string) (person uuid.UUID, kinds []domain.NotificationKind, err error) {
	unknown := domain.NotFound("page")
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return person, nil, unknown
	}
	text, err := s.sealer.Open(unsubscribePurpose, "", sealed)
	if err != nil {
		return person, nil, unknown
	}
	words := strings.Fields(string(text))
	if person, err = uuid.Parse(words[0]); err != nil {
		return person, nil, unknown
	}
	for _, word := range words[1:] {
		kinds = append(kinds, domain.NotificationKind(word))
	}
	return person, kinds, nil
}

// UnsubscribedKinds returns the kinds of mails that a token ends, or NOT_FOUND.
func (s *Service) UnsubscribedKinds(token string) ([]domain.NotificationKind, error) {
	_, kinds, err := s.openUnsubscribe(token)
	return kinds, err
}

// Unsubscribe ends the mails of a token, which is NOT_FOUND if the service did not make it, and returns their kinds. It has no caller
// but the holder of the token, and may be repeated.
func (s *Service) Unsubscribe(ctx context.Context, token string) ([]domain.NotificationKind, error) {
	person, kinds, err := s.openUnsubscribe(token)
	if err != nil {
		return nil, err
	}
	return kinds, s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		for _, kind := range kinds {
			notifications.PutChoice(tx, person, kind, domain.MailNever)
		}
		return domain.NoEvents(), nil
	})
}
