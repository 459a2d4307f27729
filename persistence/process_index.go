package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	deleteProcessIndex = `
DELETE FROM process_index
 WHERE process_id = $1`

	insertProcessIndex = `
INSERT INTO process_index (process_id, process_definition_id, tenant_id, field, text_value, text_rest, text_folded,
                           number_value, date_value, time_value)
SELECT $1, $2, $10, v.field, v.text_value, v.text_rest, ` + foldedText + `, v.number::numeric, v.date::date, v.time
  FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[])
       AS v (field, text_value, text_rest, text_folded, number, date, time)`

	insertMetadataIndex = `
INSERT INTO process_definition_indexes (tenant_id, field, type, process_definition_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING`
)

// UpdateProcessIndex replaces the index values of a process that is new or under lock.
func (tx *Tx) UpdateProcessIndex(p *domain.Process, values []IndexedValue) {
	tx.queue(deleteProcessIndex, p.ID)
	if len(values) == 0 {
		return
	}
	var index indexColumns
	for _, v := range values {
		index.add(v)
	}
	tx.queue(insertProcessIndex, append(append([]any{p.ID, p.Definition.ID}, index.args()...), p.TenantID)...)
}

// InsertMetadataIndexes stores the members of the metadata that a version of a process definition indexes. Members of
// its other versions stay, for the processes that are pinned to these.
func (tx *Tx) InsertMetadataIndexes(definition, tenant uuid.UUID, members []domain.IndexedMember) {
	for _, m := range members {
		tx.queue(insertMetadataIndex, tenant, m.Field, m.Type, definition)
	}
}
