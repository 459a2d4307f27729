package administration

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// FirstUserCode is the code of the document that describes the first user.
const FirstUserCode = "administrator"

// FirstTenant describes a tenant and its first user. The names are the code and
// the e-mail address unless given.
type FirstTenant struct {
	Code  string
	Name  string
	Email string
	// UserName is the display name of the user.
	UserName string
}

// BootstrappedTenant is the first tenant with its first user. Token is a
// personal access token of the user, which cannot be shown again.
type BootstrappedTenant struct {
	TenantID uuid.UUID
	UserID   uuid.UUID
	Token    domain.Secret
	// ExpiresAt is the time at which the token stops working.
	ExpiresAt time.Time
}

// BootstrapTenant creates the first tenant of a database, and its first user: an
// OWNER of the tenant who is an operator too. Everything else can be made with
// the user's token, which is valid in all tenants and expires after
// BootstrapTokenLifetime.
//
// Of several that run at once one makes the tenant. Errors: VALIDATION, with the
// locations /code, /name, /email and /userName, and CONFLICT when there is a
// tenant already.
func (s *Service) BootstrapTenant(ctx context.Context, in FirstTenant) (*BootstrappedTenant, error) {
	documents, err := in.manifests()
	if err != nil {
		return nil, err
	}
	system := domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}
	now := s.now()
	token := authn.NewSecret()
	made := &BootstrappedTenant{Token: token, ExpiresAt: now.Add(BootstrapTokenLifetime)}
	err = s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		exists, err := tx.LockTenants(ctx)
		if err != nil {
			return nil, err
		}
		if exists {
			return nil, domain.Conflict(domain.CodeConflict,
				"there is a tenant already: the first one is made once, others by applying documents")
		}
		c, err := s.prepareConfiguration(ctx, tx, system, documents, nil)
		if err != nil {
			return nil, err
		}
		if err := c.planAll(documents, nil, s.checkWebhookURL); err != nil {
			return nil, err
		}
		made.TenantID, made.UserID = c.applied[0].ID, c.applied[1].ID
		events, err := c.carryOut(tx, nil, now)
		if err != nil {
			return nil, err
		}
		tx.MakeOperator(made.UserID)
		credential := domain.SecretInfo{ID: domain.NewID(), Name: "bootstrap"}
		issued := domain.SecretEvent(domain.EventSecretIssued, credential, domain.Configured{
			ID: made.UserID, TenantID: made.TenantID, Kind: string(resource.KindUser), Code: FirstUserCode,
		}, system.PrincipalID, now)
		tx.InsertCredential(domain.Credential{
			ID: credential.ID, PrincipalID: made.UserID, Name: credential.Name, Kind: domain.CredentialPersonalAccessToken,
			SecretSHA256: authn.HashSecret(token.Reveal()), CreatedAt: now, ExpiresAt: &made.ExpiresAt,
		})
		return append(events, issued), nil
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// manifests returns the documents of the tenant and of its user, in this order.
func (t FirstTenant) manifests() ([]resource.Document, error) {
	if t.Name == "" {
		t.Name = t.Code
	}
	if t.UserName == "" {
		t.UserName = t.Email
	}
	texts := make([]json.RawMessage, 0, 2)
	for _, d := range []resource.Document{
		{
			Kind: resource.KindTenant, Metadata: resource.Metadata{Code: t.Code},
			Spec: &resource.TenantSpec{Name: t.Name},
		},
		{
			Kind: resource.KindUser, Metadata: resource.Metadata{Code: FirstUserCode, Tenant: t.Code},
			Spec: &resource.UserSpec{Name: t.UserName, Email: t.Email, Role: domain.RoleOwner},
		},
	} {
		text, err := d.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("writing a %s document: %w", d.Kind, err)
		}
		texts = append(texts, text)
	}
	documents, violations := resource.Decode(texts)
	if len(violations) > 0 {
		return nil, invalidFirstTenant(violations)
	}
	return documents, nil
}

// invalidFirstTenant is invalidDocuments for a caller who sent no documents.
func invalidFirstTenant(violations []resource.Violation) error {
	failure := &domain.Error{Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: "the tenant cannot be made"}
	locations := []map[string]string{
		{"/metadata/code": "/code", "/spec/name": "/name"},
		{"/spec/email": "/email", "/spec/name": "/userName"},
	}
	for _, v := range violations {
		// The code of the tenant is wrong in the user's document too.
		if location, ok := locations[v.Document][v.Pointer]; ok {
			failure.Details = append(failure.Details, domain.Detail{
				Code: domain.CodeValidation, Message: v.Message, LocationType: domain.LocationBody, Location: location,
			})
		}
	}
	return failure
}
