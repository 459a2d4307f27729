package administration

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// webhookSecretPrefix is the prefix of Standard Webhooks.
const webhookSecretPrefix = "whsec_"

// maxSecretName is the length of the name of a secret, in characters.
const maxSecretName = 50

// NewSecret is a request for a secret. With a nil ExpiresAt the secret is valid
// for the time in SecretLifetimes.
type NewSecret struct {
	Name      string
	ExpiresAt *time.Time
}

// IssuedSecret is a secret with its value, which cannot be shown again.
type IssuedSecret struct {
	domain.SecretInfo
	Value domain.Secret
}

// IssueSecret creates a secret for an Application, a personal access token for a
// User, or a secret to sign with for a WebhookSubscription. A token is limited
// to the tenant of the resource, unless an operator issues it for an operator.
//
// It requires the same rights as applying the resource. Errors: VALIDATION,
// NOT_FOUND, ACCESS_DENIED, also for a User where personal access tokens are not
// allowed, and CONFLICT when the name is taken or there are as
// many active secrets as there may be.
func (s *Service) IssueSecret(
	ctx context.Context, call domain.Call, key ResourceKey, in NewSecret,
) (*IssuedSecret, error) {
	now := s.now()
	if err := in.validate(now); err != nil {
		return nil, err
	}
	if err := checkSecretOwner(key.Kind); err != nil {
		return nil, err
	}
	if s.noPersonalTokens && key.Kind == resource.KindUser {
		return nil, domain.Denied("a personal access token " + noPersonalTokens)
	}
	expiresAt, err := s.lifetimes.expiryOf(key.Kind, in.ExpiresAt, now)
	if err != nil {
		return nil, err
	}
	issued := &IssuedSecret{SecretInfo: domain.SecretInfo{ID: domain.NewID(), Name: in.Name, CreatedAt: now, ExpiresAt: expiresAt}}
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		owner, err := lockSecretOwner(ctx, tx, call.Caller, key)
		if err != nil {
			return nil, err
		}
		limit := domain.MaxActiveSecrets
		if owner.Kind == resource.KindUser {
			limit = domain.MaxAccessTokens
		}
		if err := owner.Secrets.Admit(in.Name, limit, now); err != nil {
			return nil, err
		}
		events := domain.Events{
			domain.SecretEvent(domain.EventSecretIssued, issued.SecretInfo, configuredOf(&owner.Stored), call.PrincipalID, now),
		}
		if owner.Kind == resource.KindWebhookSubscription {
			issued.Value = newWebhookSecret()
			return events, s.insertWebhookSecret(tx, owner, issued)
		}
		issued.Value = authn.NewSecret()
		insertCredential(tx, call.Caller, owner, issued)
		return events, nil
	})
	if err != nil {
		return nil, err
	}
	return issued, nil
}

// validate applies the rules for declared secrets to the name.
func (n NewSecret) validate(now time.Time) error {
	if length := utf8.RuneCountInString(n.Name); length == 0 || length > maxSecretName {
		return domain.InvalidBody("/name", "must have 1 to 50 characters")
	}
	if strings.ContainsFunc(n.Name, unicode.IsControl) || strings.TrimSpace(n.Name) == "" {
		return domain.InvalidBody("/name", "must be text on one line that is not blank")
	}
	if n.ExpiresAt != nil && !n.ExpiresAt.After(now) {
		return domain.InvalidBody("/expiresAt", "must be in the future")
	}
	return nil
}

func insertCredential(
	tx *persistence.Tx, caller domain.Caller, owner *persistence.SecretOwner, issued *IssuedSecret,
) {
	c := domain.Credential{
		ID: issued.ID, PrincipalID: owner.ID, Name: issued.Name, Kind: domain.CredentialApplicationSecret,
		SecretSHA256: authn.HashSecret(issued.Value.Reveal()), CreatedAt: issued.CreatedAt, ExpiresAt: issued.ExpiresAt,
		IssuedBy: &caller.PrincipalID,
	}
	if owner.Kind == resource.KindUser {
		c.Kind = domain.CredentialPersonalAccessToken
		// A token of one tenant does not make its bearer an operator, so an
		// operator may replace such a token only with one for all tenants.
		if !caller.Operator || !owner.Operator {
			c.TenantID = &owner.TenantID
		}
	}
	tx.InsertCredential(c)
}

func (s *Service) insertWebhookSecret(
	tx *persistence.Tx, owner *persistence.SecretOwner, issued *IssuedSecret,
) error {
	if s.sealer == nil {
		return errors.New("issuing a webhook secret: there is no key to seal it with")
	}
	webhooks.InsertSecret(tx, domain.WebhookSecret{
		SecretInfo: issued.SecretInfo, TenantID: owner.TenantID, SubscriptionID: owner.ID,
		Sealed: s.sealer.Seal(webhook.SecretPurpose, issued.ID.String(), []byte(issued.Value.Reveal())),
	})
	return nil
}

// newWebhookSecret returns a secret of 256 random bits in the form that Standard
// Webhooks gives them.
func newWebhookSecret() domain.Secret {
	var random [32]byte
	// It never fails: the program ends when there is no randomness.
	_, _ = rand.Read(random[:])
	return domain.NewSecret(webhookSecretPrefix + base64.StdEncoding.EncodeToString(random[:]))
}
