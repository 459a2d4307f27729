package administration

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// IssueDirectoryToken creates a token for a directory that provisions the users and groups of a tenant. Without an expiry it works as
// long as a secret of an application. It requires the OWNER role. Errors: VALIDATION, NOT_FOUND, ACCESS_DENIED, and CONFLICT when
// the name is taken or there are as many active tokens as there may be.
func (s *Service) IssueDirectoryToken(ctx context.Context, call domain.Call, tenant string, in NewSecret) (*IssuedSecret, error) {
	now := s.now()
	if err := in.validate(now); err != nil {
		return nil, err
	}
	expiresAt, err := s.lifetimes.expiryOf(resource.KindApplication, in.ExpiresAt, now)
	if err != nil {
		return nil, err
	}
	issued := &IssuedSecret{
		SecretInfo: domain.SecretInfo{ID: domain.NewID(), Name: in.Name, CreatedAt: now, ExpiresAt: expiresAt}, Value: authn.NewSecret(),
	}
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		owner, tokens, err := lockDirectoryTokens(ctx, tx, call, tenant)
		if err != nil {
			return nil, err
		}
		if err := secretsOfDirectories(tokens).Admit(in.Name, domain.MaxDirectoryTokens, now); err != nil {
			return nil, err
		}
		tx.InsertDirectoryToken(domain.DirectoryToken{
			SecretInfo: issued.SecretInfo, TenantID: owner.ID, SecretSHA256: authn.HashSecret(issued.Value.Reveal()), IssuedBy: call.PrincipalID,
		})
		return domain.Events{domain.SecretEvent(domain.EventSecretIssued, issued.SecretInfo, owner, call.PrincipalID, now)}, nil
	})
	if err != nil {
		return nil, err
	}
	return issued, nil
}

// FindDirectoryTokens returns the tokens of the directories of a tenant, the oldest first. It requires the ADMINISTRATOR or the OWNER
// role; of another tenant there are none.
func (s *Service) FindDirectoryTokens(ctx context.Context, call domain.Call, tenant string) ([]domain.DirectoryToken, error) {
	return s.store.Reader.ListDirectoryTokens(ctx, call.Caller, tenant)
}

// RevokeDirectoryToken ends a token of a directory. A directory that used it within the last seconds may be accepted for a few more. It
// requires the OWNER role. Errors: NOT_FOUND, ACCESS_DENIED.
func (s *Service) RevokeDirectoryToken(ctx context.Context, call domain.Call, tenant string, id uuid.UUID) error {
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		owner, tokens, err := lockDirectoryTokens(ctx, tx, call, tenant)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(tokens, func(t domain.DirectoryToken) bool { return t.ID == id })
		if i < 0 {
			return nil, domain.NotFound("token")
		}
		tx.DeleteDirectoryToken(owner.TenantID, id)
		return domain.Events{domain.SecretEvent(domain.EventSecretRevoked, tokens[i].SecretInfo, owner, call.PrincipalID, now)}, nil
	})
}

// lockDirectoryTokens returns the tenant as the owner of its tokens, and the tokens, if the caller may change them.
func lockDirectoryTokens(
	ctx context.Context, tx *persistence.Tx, call domain.Call, code string,
) (domain.Configured, []domain.DirectoryToken, error) {
	tenant, tokens, err := tx.LockDirectoryTokens(ctx, call.Caller, code)
	if err != nil {
		return domain.Configured{}, nil, err
	}
	if !call.Administration(tenant.ID).Owns() {
		return domain.Configured{}, nil, domain.Denied("the OWNER role in the tenant is required for tokens of directories")
	}
	return domain.Configured{ID: tenant.ID, TenantID: tenant.ID, Kind: string(resource.KindTenant), Code: tenant.Code}, tokens, nil
}

func secretsOfDirectories(tokens []domain.DirectoryToken) domain.Secrets {
	secrets := make(domain.Secrets, len(tokens))
	for i := range tokens {
		secrets[i] = tokens[i].SecretInfo
	}
	return secrets
}
