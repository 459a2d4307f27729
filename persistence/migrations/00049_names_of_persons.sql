-- +goose Up

-- The name under which a tenant knows a person. It outlives the membership, because what the person did still names it.
-- principals.name is the person's own name, and the name in a tenant that has none here: of persons that the previous
-- release adds during a rollout, and of those that left before.
CREATE TABLE person_names (
    tenant_id    uuid NOT NULL REFERENCES tenants,
    principal_id uuid NOT NULL REFERENCES principals,
    name         text NOT NULL,
    PRIMARY KEY (tenant_id, principal_id)
);
CREATE INDEX person_names_principal ON person_names (principal_id);

INSERT INTO person_names (tenant_id, principal_id, name)
SELECT u.tenant_id, u.principal_id, coalesce(r.spec ->> 'name', p.name)
  FROM tenant_users u
  JOIN principals p ON p.id = u.principal_id
  LEFT JOIN resources r ON r.tenant_id = u.tenant_id AND r.kind = 'User' AND r.id = u.principal_id;
