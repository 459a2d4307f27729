package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/criteria"
)

// IndexedValue is a member of a value that resources can be filtered by, in the
// form that criteria.Normalize gives it.
type IndexedValue struct {
	Field string
	Type  criteria.Type
	Value string
}

// indexColumns are the values by the columns of an index: the fields and, for
// each field, one of the other three.
func indexColumns(values []IndexedValue) (fields []string, texts, numbers, dates []*string) {
	n := len(values)
	fields, texts, numbers, dates = make([]string, n), make([]*string, n), make([]*string, n), make([]*string, n)
	for i := range values {
		fields[i] = values[i].Field
		switch values[i].Type {
		case criteria.String:
			texts[i] = &values[i].Value
		case criteria.Number:
			numbers[i] = &values[i].Value
		case criteria.Date:
			dates[i] = &values[i].Value
		}
	}
	return fields, texts, numbers, dates
}

const (
	deleteProcessIndex = `
DELETE FROM process_index
 WHERE process_id = $1`

	insertProcessIndex = `
INSERT INTO process_index (process_id, process_definition_id, field, text_value, number_value, date_value)
SELECT $1, $2, v.field, v.text_value, v.number_value::numeric, v.date_value::date
  FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS v (field, text_value, number_value, date_value)`

	insertMetadataIndex = `
INSERT INTO process_definition_indexes (tenant_id, field, type, process_definition_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING`
)

// UpdateProcessIndex stores what a process that is new or under lock can be
// found by, in place of what it could be found by before.
func (tx *Tx) UpdateProcessIndex(p *domain.Process, values []IndexedValue) {
	tx.queue(deleteProcessIndex, p.ID)
	if len(values) == 0 {
		return
	}
	fields, texts, numbers, dates := indexColumns(values)
	tx.queue(insertProcessIndex, p.ID, p.Definition.ID, fields, texts, numbers, dates)
}

// InsertMetadataIndexes stores which members of the metadata of its processes a
// version of a process definition indexes. Those of its other versions stay, for
// the processes that are pinned to these.
func (tx *Tx) InsertMetadataIndexes(definition, tenant uuid.UUID, members []domain.IndexedMember) {
	for _, m := range members {
		tx.queue(insertMetadataIndex, tenant, m.Field, m.Type, definition)
	}
}
