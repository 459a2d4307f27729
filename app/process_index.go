package app

import (
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// indexProcess stores the index of a process, which follows from its metadata.
// It must be called whenever they change.
func indexProcess(tx *persistence.Tx, p *domain.Process, d *definition) error {
	if len(d.Spec.MetadataIndexes) == 0 || p.Metadata == nil {
		return nil
	}
	values, err := storage.IndexedValues(p.Metadata.Value, d.Spec.MetadataIndexes)
	if err != nil {
		return err
	}
	tx.UpdateProcessIndex(p, values)
	return nil
}
