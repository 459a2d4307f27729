package authn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// resealBatch is how many secrets are resealed in one transaction.
const resealBatch = 500

// Resealed counts the sealed secrets of one table, and the resealed ones.
type Resealed struct {
	Table   string
	Secrets int
	Changed int
}

// Reseal seals every sealed secret in the database with the active key of the sealer unless it already is. It may be
// repeated, and called while the service runs. It stops at a secret that cannot be opened; secrets resealed before stay
// resealed.
func Reseal(ctx context.Context, db *persistence.DB, sealer *Sealer) ([]Resealed, error) {
	var done []Resealed
	for _, table := range persistence.SealedTables() {
		counted := Resealed{Table: table}
		for after := ""; ; {
			batch, err := db.Reader().ListSealed(ctx, table, after, resealBatch)
			if err != nil {
				return done, fmt.Errorf("resealing %s: %w", table, err)
			}
			if len(batch) == 0 {
				break
			}
			changed, err := resealSecrets(ctx, db, sealer, table, batch)
			if err != nil {
				return done, fmt.Errorf("resealing %s: %w", table, err)
			}
			counted.Secrets += len(batch)
			counted.Changed += changed
			after = batch[len(batch)-1].Record
		}
		done = append(done, counted)
	}
	return done, nil
}

func resealSecrets(
	ctx context.Context, db *persistence.DB, sealer *Sealer, table string, batch []persistence.SealedSecret,
) (changed int, err error) {
	err = db.Write(ctx, func(tx *persistence.Tx) error {
		changed = 0
		for _, secret := range batch {
			if sealer.sealedLast(secret.Sealed) {
				continue
			}
			opened, err := sealer.Open(secret.Purpose, secret.Record, secret.Sealed)
			if err != nil {
				return fmt.Errorf("opening %s: %w", secret.Record, err)
			}
			if err := tx.ReplaceSealed(table, secret, sealer.Seal(secret.Purpose, secret.Record, opened)); err != nil {
				return err
			}
			changed++
		}
		return nil
	})
	return changed, err
}

// CheckSealKeyHolders refuses to seal with the active key of the sealer while a connected process of the service does
// not have the key: it could not open the secrets. Errors: CONFLICT.
func CheckSealKeyHolders(ctx context.Context, db *persistence.DB, sealer *Sealer) error {
	holders, err := db.Reader().ListSealKeyHolders(ctx)
	if err != nil {
		return err
	}
	var without []string
	for _, h := range holders {
		if !slices.Contains(h.Keys, sealer.names[0]) && !slices.Contains(without, h.Address) {
			without = append(without, h.Address)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return domain.Conflict(domain.CodeConflict, fmt.Sprintf("processes at %s are connected and do not have the seal key %s",
		strings.Join(without, ", "), sealer.names[0]))
}
