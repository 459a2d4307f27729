package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// ownToken is true of the personal access tokens c of user $1 that are visible with credentials for the tenants $2;
	// $3 reports whether tokens for all tenants are.
	ownToken = `c.principal_id = $1 AND c.kind = 'PERSONAL_ACCESS_TOKEN'
   AND (c.tenant_id = ANY($2) OR c.tenant_id IS NULL AND $3)`

	// newToken is true of a token c that another user issued and the holder has not confirmed.
	newToken = `c.seen_at IS NULL AND c.issued_by IS NOT NULL AND c.issued_by <> c.principal_id`

	selectPersonalTokens = `
SELECT c.id, c.name, c.declared, c.created_at, c.expires_at, c.tenant_id, coalesce(t.name, '') AS tenant_name,
       coalesce((SELECT r.code FROM resources r WHERE r.tenant_id = c.tenant_id AND r.kind = 'User' AND r.id = c.principal_id), '')
         AS holder_code,
       c.issued_by, coalesce(n.name, i.name, '') AS issuer_name, c.last_used_at, ` + newToken + ` AS new
  FROM credentials c
  LEFT JOIN tenants t ON t.id = c.tenant_id
  LEFT JOIN principals i ON i.id = c.issued_by
  LEFT JOIN person_names n ON n.tenant_id = c.tenant_id AND n.principal_id = c.issued_by
 WHERE ` + ownToken

	listPersonalTokens = selectPersonalTokens + `
   AND (c.expires_at IS NULL OR c.expires_at > $4)
 ORDER BY c.created_at DESC, c.id`

	lockPersonalToken = selectPersonalTokens + `
   AND c.id = $4
   FOR UPDATE OF c`

	countNewTokens = `
SELECT count(*)
  FROM credentials c
 WHERE ` + ownToken + ` AND ` + newToken + ` AND (c.expires_at IS NULL OR c.expires_at > $4)`

	confirmPersonalTokens = `
UPDATE credentials c
   SET seen_at = $4
 WHERE ` + ownToken + ` AND ` + newToken
)

// ownTokenArgs returns the arguments of statements with ownToken. The administrator of a tenant who issued a token does
// not get to know tokens for all tenants by it.
func ownTokenArgs(caller domain.Caller, more any) []any {
	return []any{caller.PrincipalID, caller.TenantIDs(), caller.Operator || caller.Token == nil, more}
}

// ListPersonalTokens returns the tokens of the caller that have not expired by now, the newest first.
func (r *Reader) ListPersonalTokens(ctx context.Context, caller domain.Caller, now time.Time) ([]domain.PersonalToken, error) {
	var found []domain.PersonalToken
	err := r.Read(ctx, pg.Q(listPersonalTokens, ownTokenArgs(caller, now), pg.Into(&found)))
	return found, pg.Translate("listing personal access tokens", err)
}

// LockPersonalToken returns a token of the caller, locked against concurrent changes, or NOT_FOUND.
func (tx *Tx) LockPersonalToken(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.PersonalToken, error) {
	var found []domain.PersonalToken
	if err := tx.Read(ctx, pg.Q(lockPersonalToken, ownTokenArgs(caller, id), pg.Into(&found))); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, domain.NotFound("token")
	}
	return &found[0], nil
}

// ConfirmPersonalTokens records that the caller knows of its tokens.
func (tx *Tx) ConfirmPersonalTokens(caller domain.Caller, now time.Time) {
	tx.queue(confirmPersonalTokens, ownTokenArgs(caller, now)...)
}
