package administration

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func encryptionKeyHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putEncryptionKey),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, tenant uuid.UUID, now time.Time) {
			tx.ShredEncryptionKeys(tenant, a.Key.Code, now)
		},
	}
}

func (c *configuration) putEncryptionKey(tx *persistence.Tx, w written, _ *resource.EncryptionKeySpec) error {
	if first, isNew := c.encryptionKeys[w.Key()]; isNew {
		tx.InsertEncryptionKey(first.EncryptionKey, first.sealed)
	}
	return nil
}

// settleEncryptionKeys creates the first versions of new keys, which are stored
// with their documents. Applying a document again makes none. A key that is
// still needed cannot be deleted.
func (c *configuration) settleEncryptionKeys(
	ctx context.Context, tx *persistence.Tx, sealer *authn.Sealer, now time.Time,
) error {
	for _, a := range c.applied {
		if a.Key.Kind != resource.KindEncryptionKey || a.Action != ApplyCreated && a.Action != ApplyDeleted {
			continue
		}
		tenant := c.tenantID(a.Key.Tenant)
		use, err := tx.LockEncryptionKey(ctx, tenant, a.Key.Code)
		if err != nil {
			return err
		}
		if a.Action == ApplyDeleted {
			err = c.checkKeyUnused(a.Key, use)
		} else {
			err = c.makeKey(a.Key, sealer, tenant, use, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *configuration) makeKey(
	key resource.Key, sealer *authn.Sealer, tenant uuid.UUID, use *persistence.EncryptionKeyUse, now time.Time,
) (err error) {
	c.encryptionKeys[key], err = newEncryptionKey(sealer, tenant, key.Code, use.Versions, c.caller.PrincipalID, now)
	return err
}

// checkKeyUnused refuses to delete a key that workflows may still need, or new
// ones would: a definition may have a published version although its document
// is a draft.
func (c *configuration) checkKeyUnused(key resource.Key, use *persistence.EncryptionKeyUse) error {
	for _, code := range use.Definitions {
		definition := resource.Key{Tenant: key.Tenant, Kind: resource.KindProcessDefinition, Code: code}
		d := c.desired[definition]
		if d == nil {
			continue
		}
		if spec, ok := d.Spec.(*resource.ProcessDefinitionSpec); ok && spec.State == resource.StateDraft {
			return domain.Conflict(domain.CodeConflict, fmt.Sprintf(
				"the published version of %s needs %s", displayKey(definition), displayKey(key)))
		}
	}
	if use.OpenRuns > 0 {
		return domain.Conflict(domain.CodeConflict, fmt.Sprintf(
			"%s is that of %d workflows that have not ended, or that failed and can be started again", displayKey(key), use.OpenRuns))
	}
	return nil
}
