-- Documents, references to them, and embeddings of their passages.

-- A document. Documents may share a blob, so a copy is a row.
CREATE TABLE documents (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL,
    owner_kind   text NOT NULL
                 CHECK (owner_kind IN ('PROCESS', 'BUSINESS_ARTIFACT', 'PROCESS_ACTION', 'BUSINESS_ARTIFACT_ACTION',
                                       'ROBOT')),
    owner_id     uuid NOT NULL,
    blob_id      uuid NOT NULL,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    content_type text NOT NULL CHECK (length(content_type) BETWEEN 1 AND 255),
    size         bigint NOT NULL CHECK (size >= 0),
    sha256       bytea NOT NULL CHECK (length(sha256) = 32),
    -- NULL while a value refers to the document.
    expires_at   timestamptz,
    created_by   uuid NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX documents_owner ON documents (owner_id);
CREATE INDEX documents_blob ON documents (tenant_id, blob_id);
CREATE INDEX documents_expiry ON documents (expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX documents_content ON documents (tenant_id, sha256);
-- The sum of the temporary documents of a tenant is read from the index.
CREATE INDEX documents_temporary ON documents (tenant_id) INCLUDE (expires_at, owner_kind, created_by, size)
 WHERE expires_at IS NOT NULL;

-- References of values to documents. A referenced document does not expire.
CREATE TABLE document_links (
    holder_id   uuid NOT NULL,
    slot        text NOT NULL
                CHECK (slot IN ('METADATA', 'ENTITY', 'DATA', 'CONTEXT_DATA', 'MESSAGE_DATA', 'RESULT', 'ELEMENT')),
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    PRIMARY KEY (holder_id, slot, document_id)
);
CREATE INDEX document_links_document ON document_links (document_id);

-- Passages of documents and their embeddings, shared by all documents of a tenant with the same content.
CREATE TABLE document_embeddings (
    tenant_id uuid NOT NULL REFERENCES tenants,
    sha256    bytea NOT NULL CHECK (length(sha256) = 32),
    model     text NOT NULL,
    position  integer NOT NULL CHECK (position >= 0),
    passage   text NOT NULL CHECK (passage <> ''),
    -- NULL until the passage is embedded.
    vector    bytea,
    -- The document has more text than the passages. Equal for all passages of a document.
    truncated boolean NOT NULL,
    PRIMARY KEY (tenant_id, sha256, model, position)
);
CREATE INDEX document_embeddings_missing ON document_embeddings (tenant_id, sha256, model, position) WHERE vector IS NULL;
