package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// EmbeddingSpace is the scope in which embeddings can be compared: one model and the documents of one tenant.
type EmbeddingSpace struct {
	TenantID uuid.UUID
	Model    string
}

// PassageKey is the position of a passage in the documents with one content.
type PassageKey struct {
	SHA256   []byte
	Position int
}

// KnownContent is a content with stored passages and their number.
type KnownContent struct {
	SHA256    []byte
	Passages  int
	Truncated bool
}

const knownContents = `
SELECT e.sha256, count(*), bool_or(e.truncated)
  FROM document_embeddings e
 WHERE e.tenant_id = $1 AND e.model = $2 AND e.sha256 = ANY($3)
 GROUP BY e.sha256`

// ListKnownContents returns the contents that have stored passages.
func (r *Reader) ListKnownContents(ctx context.Context, space EmbeddingSpace, contents [][]byte) ([]KnownContent, error) {
	var indexed []KnownContent
	err := r.Read(ctx, pg.Q(knownContents, []any{space.TenantID, space.Model, contents}, func(rows pgx.Rows) (err error) {
		indexed, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (k KnownContent, err error) {
			return k, row.Scan(&k.SHA256, &k.Passages, &k.Truncated)
		})
		return err
	}))
	return indexed, pg.Translate("looking for passages of documents", err)
}

const insertPassages = `
INSERT INTO document_embeddings (tenant_id, sha256, model, position, passage, truncated)
SELECT $1, $2, $3, p.position - 1, p.passage, $5
  FROM unnest($4::text[]) WITH ORDINALITY AS p (passage, position)
    ON CONFLICT DO NOTHING`

// InsertPassages stores all passages of a content. Stored passages stay unchanged.
func (tx *Tx) InsertPassages(space EmbeddingSpace, content []byte, passages []string, truncated bool) {
	tx.queue(insertPassages, space.TenantID, content, space.Model, passages, truncated)
}

// Passage is a part of a document.
type Passage struct {
	PassageKey
	Text string
}

const (
	missingEmbeddings = `
SELECT e.sha256, e.position, e.passage
  FROM document_embeddings e
 WHERE e.tenant_id = $1 AND e.model = $2 AND e.sha256 = ANY($3) AND e.vector IS NULL
 ORDER BY e.sha256, e.position
 LIMIT $4`

	countMissingEmbeddings = `
SELECT count(*)
  FROM document_embeddings e
 WHERE e.tenant_id = $1 AND e.model = $2 AND e.sha256 = ANY($3) AND e.vector IS NULL`
)

// ListMissingEmbeddings returns the next passages of the contents that have no vector, and their total number.
func (r *Reader) ListMissingEmbeddings(
	ctx context.Context, space EmbeddingSpace, contents [][]byte, limit int,
) (passages []Passage, all int, err error) {
	err = r.Read(ctx,
		pg.Q(missingEmbeddings, []any{space.TenantID, space.Model, contents, limit}, scanPassages(&passages)),
		pg.Q(countMissingEmbeddings, []any{space.TenantID, space.Model, contents}, pg.One(&all)))
	return passages, all, pg.Translate("looking for passages without embedding", err)
}

func scanPassages(dest *[]Passage) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Passage, err error) {
			return p, row.Scan(&p.SHA256, &p.Position, &p.Text)
		})
		return err
	}
}

const setEmbeddings = `
UPDATE document_embeddings e
   SET vector = v.vector
  FROM unnest($3::bytea[], $4::integer[], $5::bytea[]) AS v (sha256, position, vector)
 WHERE e.tenant_id = $1 AND e.model = $2 AND e.sha256 = v.sha256 AND e.position = v.position`

// SetEmbeddings stores the vectors of passages.
func (tx *Tx) SetEmbeddings(space EmbeddingSpace, passages []Passage, vectors [][]byte) {
	contents, positions := placesOf(passages)
	tx.queue(setEmbeddings, space.TenantID, space.Model, contents, positions, vectors)
}

func placesOf(passages []Passage) (contents [][]byte, positions []int) {
	for _, p := range passages {
		contents, positions = append(contents, p.SHA256), append(positions, p.Position)
	}
	return contents, positions
}

const (
	selectVectors = `
SELECT e.sha256, e.position, e.vector
  FROM document_embeddings e
 WHERE e.tenant_id = $1 AND e.model = $2 AND e.sha256 = ANY($3) AND e.vector IS NOT NULL
 ORDER BY e.sha256, e.position`

	selectPassages = `
SELECT e.sha256, e.position, e.passage
  FROM document_embeddings e
  JOIN unnest($3::bytea[], $4::integer[]) AS w (sha256, position) ON w.sha256 = e.sha256 AND w.position = e.position
 WHERE e.tenant_id = $1 AND e.model = $2`
)

// ListVectors returns the vectors of the contents, in order, with the position of each.
func (r *Reader) ListVectors(
	ctx context.Context, space EmbeddingSpace, contents [][]byte,
) (places []PassageKey, vectors [][]byte, err error) {
	err = r.Read(ctx, pg.Q(selectVectors, []any{space.TenantID, space.Model, contents}, func(rows pgx.Rows) error {
		var at PassageKey
		var vector []byte
		_, err := pgx.ForEachRow(rows, []any{&at.SHA256, &at.Position, &vector}, func() error {
			places, vectors = append(places, at), append(vectors, vector)
			at, vector = PassageKey{}, nil
			return nil
		})
		return err
	}))
	return places, vectors, pg.Translate("reading embeddings", err)
}

// ListPassages returns passages, in any order.
func (r *Reader) ListPassages(ctx context.Context, space EmbeddingSpace, places []PassageKey) ([]Passage, error) {
	var passages []Passage
	contents, positions := make([][]byte, len(places)), make([]int, len(places))
	for i, at := range places {
		contents[i], positions[i] = at.SHA256, at.Position
	}
	err := r.Read(ctx, pg.Q(
		selectPassages, []any{space.TenantID, space.Model, contents, positions}, scanPassages(&passages),
	))
	return passages, pg.Translate("reading passages of documents", err)
}

const deleteUnusedEmbeddings = `
DELETE FROM document_embeddings e
 USING (SELECT DISTINCT u.tenant_id, u.sha256
          FROM document_embeddings u
         WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.tenant_id = u.tenant_id AND d.sha256 = u.sha256)) gone
 WHERE e.tenant_id = gone.tenant_id AND e.sha256 = gone.sha256`

// DeleteUnusedEmbeddings deletes the passages of contents that no document has any more.
func (tx *Tx) DeleteUnusedEmbeddings() { tx.queue(deleteUnusedEmbeddings) }
