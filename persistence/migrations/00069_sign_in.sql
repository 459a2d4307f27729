-- +goose Up

-- The author of the changes that follow from sign-ins, in all tenants.
INSERT INTO principals (id, type, name, created_at)
VALUES ('01970000-0000-7000-8000-000000000003', 'SYSTEM', 'Sign-in', now());

ALTER TABLE resources
    DROP CONSTRAINT resources_source_check,
    ADD CONSTRAINT resources_source_check CHECK (source IN ('MANIFEST', 'DIRECTORY', 'DEPARTED', 'SIGN_IN'));

-- The tenants that take people or groups from the sign-ins of an issuer.
CREATE INDEX resources_sign_in ON resources (tenant_id)
    WHERE kind = 'Tenant' AND (spec #> '{provisioning,signIn}') IS NOT NULL;

-- A claimed membership exists only because of a sign-in of the member.
ALTER TABLE group_members
    ADD claimed boolean NOT NULL DEFAULT false;
