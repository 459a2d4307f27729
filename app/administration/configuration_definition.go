package administration

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
)

// pinnedProcess is the part of a definition that a process is pinned to while
// it runs, besides name, engine and items. domain.ProcessSpec is a part of it.
type pinnedProcess struct {
	Description      string                     `json:"description,omitempty"`
	SubjectTemplate  string                     `json:"subjectTemplate,omitempty"`
	MetadataSchema   json.RawMessage            `json:"metadataSchema,omitempty"`
	MetadataUISchema json.RawMessage            `json:"metadataUiSchema,omitempty"`
	MetadataIndexes  []resource.IndexSpec       `json:"metadataIndexes,omitempty"`
	EntitySchema     json.RawMessage            `json:"entitySchema,omitempty"`
	EntityUISchema   json.RawMessage            `json:"entityUiSchema,omitempty"`
	Elements         []resource.ElementSpec     `json:"elements,omitempty"`
	DataStructures   map[string]json.RawMessage `json:"dataStructures,omitempty"`
	I18n             json.RawMessage            `json:"i18n,omitempty"`
	StructureTexts   map[string]json.RawMessage `json:"dataStructureTexts,omitempty"`
	Due              string                     `json:"due,omitempty"`
	Calendar         string                     `json:"calendar,omitempty"`
	UserActions      []resource.UserActionSpec  `json:"userActions,omitempty"`
}

// pinnedItem is the part of an item that a process is pinned to. domain.ItemSpec is a part of it.
type pinnedItem struct {
	resource.ItemSpec

	Escalation []domain.EscalationStep `json:"escalation,omitempty"`
}

// resolveEscalation returns the steps of an escalation with the ids of principals and groups.
func (c *configuration) resolveEscalation(tenant string, specs []resource.EscalationSpec) []domain.EscalationStep {
	var steps []domain.EscalationStep
	for _, spec := range specs {
		step := domain.EscalationStep{After: spec.After, Priority: spec.Priority, Signal: spec.Signal}
		for _, g := range spec.Notify {
			step.Notify = append(step.Notify, c.resolveGrantee(tenant, g).ID)
		}
		if spec.Assign != nil {
			step.Assign = new(c.resolveGrantee(tenant, *spec.Assign).ID)
		}
		steps = append(steps, step)
	}
	return steps
}

func processDefinitionHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putDefinition),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, _ uuid.UUID, _ time.Time) {
			tx.DeleteDefinition(a.ID)
		},
		identify: func(c *configuration, d *resource.Document) (uuid.UUID, bool) {
			if tenant := c.tenants[d.TenantCode()]; tenant != nil {
				if found := c.definitionState(tenant.ID, d.Metadata.Code); found != nil {
					return found.ID, true
				}
			}
			return uuid.Nil, false
		},
	}
}

// putDefinition publishes a version of a process definition if its state asks
// for it and it differs from the previous version, and grants its rights.
func (c *configuration) putDefinition(tx *persistence.Tx, w written, spec *resource.ProcessDefinitionSpec) error {
	tx.InsertDefinition(w.id, w.tenant, w.Metadata.Code)
	items := c.itemIDs(w.id, spec)
	for code, item := range items {
		tx.InsertItemDefinition(item, w.id, code)
	}
	switch spec.State {
	case resource.StateRetired:
		tx.RetireDefinition(w.id)
	case resource.StatePublished:
		if err := c.publishVersion(tx, w.Document, spec, w.id, w.tenant, items, w.audit); err != nil {
			return err
		}
	case resource.StateDraft:
	}
	c.resolveGrant(tx, w.Metadata.Tenant, spec, w.id, items)
	return nil
}

// itemIDs returns the ids of the definition's items, with new ids for new items.
func (c *configuration) itemIDs(definition uuid.UUID, spec *resource.ProcessDefinitionSpec) map[string]uuid.UUID {
	ids := make(map[string]uuid.UUID, len(spec.Items))
	for _, item := range spec.Items {
		ids[item.Code] = domain.NewID()
	}
	for _, state := range c.Items {
		if _, ok := ids[state.Code]; ok && state.ProcessDefinitionID == definition {
			ids[state.Code] = state.ID
		}
	}
	return ids
}

func (c *configuration) publishVersion(
	tx *persistence.Tx, d *resource.Document, spec *resource.ProcessDefinitionSpec, id, tenant uuid.UUID,
	items map[string]uuid.UUID, audit domain.Audit,
) error {
	v, err := c.newVersion(d, spec, id, items)
	if err != nil {
		return err
	}
	tx.InsertMetadataIndexes(id, tenant, indexedMembers(spec.MetadataIndexes))
	latest := c.definitionState(tenant, d.Metadata.Code)
	if latest != nil && latest.Version != nil && bytes.Equal(latest.Digest, v.Digest) {
		tx.RepublishVersion(id, *latest.Version)
		return nil
	}
	v.TenantID, v.Number = tenant, 1
	if latest != nil {
		v.Number = latest.Number + 1
	}
	tx.PublishVersion(*v, audit.LastModifiedBy, audit.LastModifiedAt)
	return nil
}

// newVersion creates the version that the document describes. Its digest covers all pinned definitions.
func (c *configuration) newVersion(
	d *resource.Document, spec *resource.ProcessDefinitionSpec, id uuid.UUID, items map[string]uuid.UUID,
) (*persistence.DefinitionVersion, error) {
	texts := translation.ParseCached(spec.I18n)
	v := &persistence.DefinitionVersion{
		DefinitionRef: domain.DefinitionRef{ID: id, Version: domain.NewID(), Code: d.Metadata.Code},
		Name:          texts.Name(spec.Name, d.Metadata.Code),
		Description:   texts.Description(spec.Description, d.Metadata.Code),
		Calendar:      spec.Calendar,
	}
	if e := spec.Engine; e != nil {
		v.Engine = &domain.EngineBinding{
			WorkflowType: e.WorkflowType, TaskQueue: e.TaskQueue, SignalShape: e.SignalShape,
			RunnerID:      c.ids[identityKey(d.Metadata.Tenant, "", e.Runner, "")],
			EncryptionKey: e.EncryptionKey,
		}
	}
	pinned := pinnedProcess{
		Description: spec.Description, SubjectTemplate: spec.SubjectTemplate, MetadataSchema: spec.MetadataSchema, MetadataIndexes: spec.MetadataIndexes,
		MetadataUISchema: spec.MetadataUISchema, EntitySchema: spec.EntitySchema, EntityUISchema: spec.EntityUISchema, Elements: spec.Elements, UserActions: spec.UserActions,
		I18n: spec.I18n, Due: spec.Due, Calendar: spec.Calendar,
	}
	pinned.DataStructures, pinned.StructureTexts = c.dataStructures(d.Metadata.Tenant, spec.DataStructures)
	var err error
	if v.Spec, err = jsontext.Marshal(pinned); err != nil {
		return nil, fmt.Errorf("encoding the process: %w", err)
	}
	digest := sha256.New()
	encoder := json.NewEncoder(digest)
	if err := encoder.Encode([]any{v.Name.Source, v.Engine, v.Spec}); err != nil {
		return nil, fmt.Errorf("digesting the process: %w", err)
	}
	for _, item := range spec.Items {
		pinned := item
		pinned.Candidates, pinned.Viewers = nil, nil
		text, err := jsontext.Marshal(pinnedItem{ItemSpec: pinned, Escalation: c.resolveEscalation(d.Metadata.Tenant, item.Escalation)})
		if err != nil {
			return nil, fmt.Errorf("encoding item %s: %w", item.Code, err)
		}
		if err := encoder.Encode([]any{items[item.Code], text}); err != nil {
			return nil, fmt.Errorf("digesting item %s: %w", item.Code, err)
		}
		made := persistence.ItemDefinitionVersion{
			DefinitionRef: domain.DefinitionRef{ID: items[item.Code], Version: domain.NewID(), Code: item.Code},
			Type:          item.Type, Spec: text, Opposed: spec.OpposedTo(item.Code),
			Name: translation.ParseCached(item.I18n).Name(item.Name, item.Code).Or(texts.Name(item.Name, item.Code)),
		}
		if item.Robot != nil {
			made.Robot = domain.TaskRobot(*item.Robot)
		}
		v.Items = append(v.Items, made)
	}
	v.Digest = digest.Sum(nil)
	return v, nil
}

func indexedMembers(indexes []resource.IndexSpec) []domain.IndexedMember {
	members := make([]domain.IndexedMember, len(indexes))
	for i, index := range indexes {
		members[i] = domain.IndexedMember{Field: index.Field, Type: filter.Type(index.Type)}
	}
	return members
}

// dataStructures returns the current schemas of the data structures, and their translations. A process is pinned to them.
func (c *configuration) dataStructures(tenant string, codes []string) (schemas, texts map[string]json.RawMessage) {
	if len(codes) == 0 {
		return nil, nil
	}
	schemas, texts = make(map[string]json.RawMessage, len(codes)), map[string]json.RawMessage{}
	for _, code := range codes {
		d := c.desired[resource.Key{Tenant: tenant, Kind: resource.KindDataStructure, Code: code}]
		if structure, ok := d.Spec.(*resource.DataStructureSpec); ok {
			schemas[code] = structure.Schema
			if len(structure.I18n) > 0 {
				texts[code] = structure.I18n
			}
		}
	}
	return schemas, texts
}

// resolveGrant grants the rights on a definition and its items, and revokes all
// others. Items that the definition no longer has keep theirs, for the
// processes that still have them.
func (c *configuration) resolveGrant(
	tx *persistence.Tx, tenant string, spec *resource.ProcessDefinitionSpec, id uuid.UUID, items map[string]uuid.UUID,
) {
	tx.RevokeOnProcess(id)
	for permission, grantees := range map[domain.ProcessPermission][]resource.Grantee{
		domain.PermissionInitiator:     spec.Permissions.Initiators,
		domain.PermissionViewer:        spec.Permissions.Viewers,
		domain.PermissionManager:       spec.Permissions.Managers,
		domain.PermissionAdministrator: spec.Permissions.Administrators,
		domain.PermissionRepairer:      spec.Permissions.Repairers,
	} {
		for _, g := range grantees {
			tx.GrantOnProcess(id, permission, c.resolveGrantee(tenant, g).ID)
		}
	}
	if spec.Engine != nil {
		tx.GrantOnProcess(id, domain.PermissionManager, c.ids[identityKey(tenant, "", spec.Engine.Runner, "")])
	}
	for i := range spec.UserActions {
		if runner := spec.UserActions[i].Runner; runner != "" {
			tx.GrantOnProcess(id, domain.PermissionManager, c.ids[identityKey(tenant, "", runner, "")])
		}
	}
	for _, item := range spec.Items {
		tx.RevokeOnItem(items[item.Code])
		for permission, grantees := range map[domain.ItemPermission][]resource.Grantee{
			domain.PermissionCandidate: item.Candidates, domain.PermissionItemViewer: item.Viewers,
		} {
			for _, g := range grantees {
				tx.GrantOnItem(items[item.Code], permission, c.resolveGrantee(tenant, g))
			}
		}
	}
}

func (c *configuration) resolveGrantee(tenant string, g resource.Grantee) domain.Grantee {
	switch g.Role {
	case resource.RoleProcessInitiator:
		return domain.Grantee{ProcessInitiator: true}
	case resource.RoleEveryone:
		return domain.Grantee{ID: c.tenantID(tenant)}
	}
	return domain.Grantee{ID: c.ids[identityKey(tenant, g.User, g.Application, g.Group)]}
}

func (c *configuration) definitionState(tenant uuid.UUID, code string) *persistence.DefinitionState {
	for i := range c.Definitions {
		if d := &c.Definitions[i]; d.TenantID == tenant && d.Code == code {
			return d
		}
	}
	return nil
}
