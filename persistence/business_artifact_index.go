package persistence

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/criteria"
)

// indexedLength is how many characters of a text an index holds.
const indexedLength = 200

// splitText divides a text into what an index holds of it and the rest, nil
// without one.
func splitText(text string) (begin string, rest *string) {
	if utf8.RuneCountInString(text) <= indexedLength {
		return text, nil
	}
	at := len(string([]rune(text)[:indexedLength]))
	after := text[at:]
	return text[:at], &after
}

// foldCase makes texts equal that differ in nothing but case: each character
// becomes the smallest of those that Unicode's simple case folding takes for the
// same. What the database makes of case depends on how it was set up.
func foldCase(text string) string {
	return strings.Map(func(c rune) rune {
		smallest := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			smallest = min(smallest, other)
		}
		return smallest
	}, text)
}

// artifactIndex are rows of business_artifact_index by their columns.
type artifactIndex struct {
	artifacts                          []uuid.UUID
	createdAt                          []time.Time
	fields                             []string
	begins, rests, folds, number, date []*string
}

func (i *artifactIndex) add(a *domain.BusinessArtifact, values []IndexedValue) {
	for _, v := range values {
		var begin, rest, folded, number, date *string
		switch v.Type {
		case criteria.String:
			text, after := splitText(v.Value)
			begin, rest = &text, after
			if same := foldCase(v.Value); same != v.Value {
				folded = &same
			}
		case criteria.Number:
			number = &v.Value
		case criteria.Date:
			date = &v.Value
		}
		i.artifacts = append(i.artifacts, a.ID)
		i.createdAt = append(i.createdAt, a.CreatedAt)
		i.fields = append(i.fields, v.Field)
		i.begins, i.rests, i.folds = append(i.begins, begin), append(i.rests, rest), append(i.folds, folded)
		i.number, i.date = append(i.number, number), append(i.date, date)
	}
}

// args are the arguments of putArtifactIndex.
func (i *artifactIndex) args(definition uuid.UUID) []any {
	return []any{definition, i.artifacts, i.createdAt, i.fields, i.begins, i.rests, i.folds, i.number, i.date}
}

const (
	// Rows that stay the same are not written again.
	putArtifactIndex = `
INSERT INTO business_artifact_index AS x (definition_id, business_artifact_id, created_at, field, text_value, text_rest,
                                          text_folded, number_value, date_value)
SELECT $1, v.artifact, v.created_at, v.field, v.text_value, v.text_rest, v.text_folded, v.number::numeric, v.date::date
  FROM unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS v (artifact, created_at, field, text_value, text_rest, text_folded, number, date)
ON CONFLICT (business_artifact_id, field) DO UPDATE
   SET text_value = excluded.text_value, text_rest = excluded.text_rest, text_folded = excluded.text_folded,
       number_value = excluded.number_value, date_value = excluded.date_value
 WHERE (x.text_value, x.text_rest, x.number_value::text, x.date_value)
       IS DISTINCT FROM (excluded.text_value, excluded.text_rest, excluded.number_value::text, excluded.date_value)`

	deleteArtifactIndex = `
DELETE FROM business_artifact_index
 WHERE business_artifact_id = $1 AND field <> ALL($2)`

	deleteArtifactIndexes = `
DELETE FROM business_artifact_index
 WHERE definition_id = $1`
)

// putIndex stores what an artifact that is new or under lock can be found by.
// What it could be found by before is taken away, unless it is new.
func (tx *Tx) putIndex(a *domain.BusinessArtifact, values []IndexedValue, isNew bool) {
	var index artifactIndex
	index.add(a, values)
	if !isNew {
		fields := index.fields
		if fields == nil {
			fields = []string{}
		}
		tx.queue(deleteArtifactIndex, a.ID, fields)
	}
	if len(values) > 0 {
		tx.queue(putArtifactIndex, index.args(a.Definition.ID)...)
	}
}
