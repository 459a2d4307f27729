package administer

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// put writes a resource, and the rows that follow from it.
func (c *configuration) put(tx *persistence.Tx, key resource.Key, now time.Time) error {
	d, id := c.wanted[key], c.ids[key]
	audit := domain.NewAudit(c.caller.PrincipalID, now)
	if before := c.stored[key]; before != nil {
		audit = before.Touched(c.caller.PrincipalID, now)
	}
	tenant := c.tenantID(key.Tenant)
	if err := c.project(tx, d, id, tenant, audit); err != nil {
		return fmt.Errorf("writing %s: %w", display(key), err)
	}
	for _, a := range c.applied {
		if a.Key == key {
			return tx.PutResource(persistence.StoredResource{Document: *d, ID: id, TenantID: tenant, Audit: audit})
		}
	}
	return nil
}

func (c *configuration) tenantID(code string) uuid.UUID {
	return c.ids[resource.Key{Tenant: code, Kind: resource.KindTenant, Code: code}]
}

// project writes the rows that the rest of the service works with.
func (c *configuration) project(
	tx *persistence.Tx, d *resource.Document, id, tenant uuid.UUID, audit domain.Audit,
) error {
	switch spec := d.Spec.(type) {
	case *resource.TenantSpec:
		c.projectTenant(tx, d.Metadata.Code, spec, id, audit)
	case *resource.UserSpec:
		return c.projectUser(tx, d.Metadata.Tenant, spec, id, tenant, audit)
	case *resource.ApplicationSpec:
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: id, Type: domain.PrincipalApplication, Name: spec.Name},
			TenantID:  tenant, Role: spec.Role, Disabled: spec.Disabled, Audit: audit,
		})
		declared, err := credentials(spec.Secrets, domain.CredentialApplicationSecret, audit.LastModifiedAt)
		if err != nil {
			return err
		}
		tx.DeclareCredentials(id, nil, declared)
		if spec.Disabled {
			tx.RevokeEngineGrantsOf(id, []uuid.UUID{tenant}, audit.LastModifiedBy, audit.LastModifiedAt)
		}
	case *resource.GroupSpec:
		members := make([]uuid.UUID, len(spec.Members))
		for i, m := range spec.Members {
			members[i] = c.ids[key(d.Metadata.Tenant, m.User, m.Application, "")]
		}
		tx.PutGroup(domain.Group{ID: id, TenantID: tenant, Code: d.Metadata.Code, Name: spec.Name}, members)
	case *resource.EncryptionKeySpec:
		if first, isNew := c.encryptionKeys[d.Key()]; isNew {
			tx.InsertEncryptionKey(first.EncryptionKey, first.sealed)
		}
	case *resource.ProcessDefinitionSpec:
		return c.projectDefinition(tx, d, spec, id, tenant, audit)
	case *resource.BusinessArtifactDefinitionSpec:
		c.projectArtifactDefinition(tx, d, spec, id, tenant)
	case *resource.WebhookSubscriptionSpec:
		c.projectWebhook(tx, d, spec, id, tenant)
	case *resource.DataSourceSpec:
		c.projectDataSource(tx, d, spec, id, tenant)
	case *resource.RobotSpec:
		c.projectRobot(tx, d, spec, id, tenant, audit)
	}
	return nil
}

func (c *configuration) projectTenant(
	tx *persistence.Tx, code string, spec *resource.TenantSpec, id uuid.UUID, audit domain.Audit,
) {
	namespace := spec.Namespace
	if namespace == "" {
		namespace = "t-" + hex.EncodeToString(id[:])
	}
	tx.PutTenant(domain.Tenant{
		ID: id, Code: code, Name: spec.Name, Plan: spec.Plan, Namespace: namespace, TimeZone: spec.TimeZone,
		UserMetadataSchema: spec.UserMetadataSchema, Audit: audit,
	})
}

func (c *configuration) projectUser(
	tx *persistence.Tx, tenantCode string, spec *resource.UserSpec, id, tenant uuid.UUID, audit domain.Audit,
) error {
	schema, err := c.userMetadataSchema(tenantCode)
	if err != nil {
		return err
	}
	metadata, err := initialValue(schema, spec.Metadata)
	if err != nil {
		return err
	}
	err = tx.PutTenantUser(domain.TenantUser{
		ID: uuid.NewSHA1(tenant, id[:]), TenantID: tenant, Role: spec.Role, Metadata: metadata, Audit: audit,
		Disabled:  spec.Disabled,
		Principal: domain.Principal{ID: id, Type: domain.PrincipalUser, Name: spec.Name, Email: spec.Email},
	})
	if err != nil {
		return err
	}
	declared, err := credentials(spec.AccessTokens, domain.CredentialPersonalAccessToken, audit.LastModifiedAt)
	if err != nil {
		return err
	}
	tx.DeclareCredentials(id, &tenant, declared)
	if spec.Disabled {
		tx.RevokeEngineGrantsOf(id, []uuid.UUID{tenant}, audit.LastModifiedBy, audit.LastModifiedAt)
	}
	return nil
}

func (c *configuration) userMetadataSchema(tenantCode string) (*jsondoc.Schema, error) {
	d := c.wanted[resource.Key{Tenant: tenantCode, Kind: resource.KindTenant, Code: tenantCode}]
	if d == nil {
		return nil, nil
	}
	spec, ok := d.Spec.(*resource.TenantSpec)
	if !ok {
		return nil, fmt.Errorf("tenant %s has a spec of type %T", tenantCode, d.Spec)
	}
	schema, err := jsondoc.Compile(spec.UserMetadataSchema)
	if err != nil {
		return nil, fmt.Errorf("user metadata schema: %w", err)
	}
	return schema, nil
}

func credentials(declared []resource.SecretSpec, kind domain.CredentialKind, now time.Time) ([]domain.Credential, error) {
	result := make([]domain.Credential, len(declared))
	for i, s := range declared {
		result[i] = domain.Credential{ID: domain.NewID(), Kind: kind, Name: s.Name, Declared: true, CreatedAt: now, ExpiresAt: s.ExpiresAt}
		if _, err := hex.Decode(result[i].SecretSHA256[:], []byte(s.SHA256)); err != nil {
			return nil, fmt.Errorf("secret %s: %w", s.Name, err)
		}
	}
	return result, nil
}

// key is that of the one of a user, an application and a group that is named.
func key(tenant, user, application, group string) resource.Key {
	switch {
	case user != "":
		return resource.Key{Tenant: tenant, Kind: resource.KindUser, Code: user}
	case application != "":
		return resource.Key{Tenant: tenant, Kind: resource.KindApplication, Code: application}
	default:
		return resource.Key{Tenant: tenant, Kind: resource.KindGroup, Code: group}
	}
}

// remove deletes a resource, and the rows that follow from it.
func (c *configuration) remove(tx *persistence.Tx, a AppliedResource, now time.Time) {
	tenant := c.tenantID(a.Key.Tenant)
	switch a.Key.Kind {
	case resource.KindUser:
		tx.RemoveTenantUser(tenant, a.ID)
		tx.RevokeEngineGrantsOf(a.ID, []uuid.UUID{tenant}, c.caller.PrincipalID, now)
	case resource.KindApplication:
		tx.RemoveApplication(tenant, a.ID, now)
		tx.RevokeEngineGrantsOf(a.ID, []uuid.UUID{tenant}, c.caller.PrincipalID, now)
	case resource.KindGroup:
		tx.RemoveGroup(tenant, a.ID)
	case resource.KindEncryptionKey:
		tx.ShredEncryptionKeys(tenant, a.Key.Code, now)
	case resource.KindProcessDefinition:
		tx.DeleteDefinition(a.ID)
	case resource.KindWebhookSubscription:
		tx.DeleteWebhookSecrets(a.ID)
		tx.DeleteWebhookEndpoint(a.ID)
	case resource.KindBusinessArtifactDefinition:
		tx.RevokeOnArtifact(a.ID)
	case resource.KindRobot:
		tx.RemoveRobot(a.ID, now.Add(domain.DocumentOfRobot.Lifetime()))
	case resource.KindDataSource:
		tx.RemoveDataSource(a.ID)
	case resource.KindTenant, resource.KindDataStructure:
	}
	tx.DeleteResource(tenant, a.Key.Kind, a.Key.Code)
}

// initialValue is what a new resource begins with that refers to nothing, checked
// against the schema; nil for no value.
func initialValue(schema *jsondoc.Schema, given json.RawMessage) (*domain.JSONValue, error) {
	text := schema.Initial(given)
	if text == nil {
		return nil, nil
	}
	value, err := schema.Validate(text)
	if err != nil {
		return nil, err
	}
	return &value, nil
}
