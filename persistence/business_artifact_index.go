package persistence

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// artifactIndex holds rows of business_artifact_index by column.
type artifactIndex struct {
	indexColumns
	artifacts []uuid.UUID
	createdAt []time.Time
}

func (i *artifactIndex) addOf(a *domain.BusinessArtifact, values []IndexedValue) {
	for _, v := range values {
		i.artifacts, i.createdAt = append(i.artifacts, a.ID), append(i.createdAt, a.CreatedAt)
		i.add(v)
	}
}

// put returns the arguments of putArtifactIndex.
func (i *artifactIndex) put(definition uuid.UUID) []any {
	return append([]any{definition, i.artifacts, i.createdAt}, i.args()...)
}

const (
	// Unchanged rows are not written.
	putArtifactIndex = `
INSERT INTO business_artifact_index AS x (definition_id, business_artifact_id, tenant_id, created_at, field, text_value, text_rest,
                                          text_folded, number_value, date_value, time_value)
SELECT $1, v.artifact, (SELECT a.tenant_id FROM business_artifacts a WHERE a.id = v.artifact), v.created_at, v.field, v.text_value, v.text_rest,
       ` + foldedText + `, v.number::numeric, v.date::date, v.time
  FROM unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::timestamptz[])
       AS v (artifact, created_at, field, text_value, text_rest, text_folded, number, date, time)
ON CONFLICT (business_artifact_id, field, tenant_id) DO UPDATE
   SET text_value = excluded.text_value, text_rest = excluded.text_rest, text_folded = excluded.text_folded,
       number_value = excluded.number_value, date_value = excluded.date_value,
       time_value = excluded.time_value
 WHERE (x.text_value, x.text_rest, x.text_folded, x.number_value::text, x.date_value, x.time_value)
       IS DISTINCT FROM (excluded.text_value, excluded.text_rest, excluded.text_folded, excluded.number_value::text,
                         excluded.date_value, excluded.time_value)`

	deleteArtifactIndex = `
DELETE FROM business_artifact_index
 WHERE business_artifact_id = $1 AND field <> ALL($2)`

	deleteArtifactIndexes = `
DELETE FROM business_artifact_index
 WHERE definition_id = $1`
)

// putIndex stores the index values of an artifact that is new or under lock. It deletes the previous values
// unless the artifact is new.
func (tx *Tx) putIndex(a *domain.BusinessArtifact, values []IndexedValue, isNew bool) {
	var index artifactIndex
	index.addOf(a, values)
	if !isNew {
		fields := index.fields
		if fields == nil {
			fields = []string{}
		}
		tx.queue(deleteArtifactIndex, a.ID, fields)
	}
	if len(values) > 0 {
		tx.queue(putArtifactIndex, index.put(a.Definition.ID)...)
	}
}
