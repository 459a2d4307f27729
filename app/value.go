package app

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// values prepares the JSON values of a change for storage: it validates them against their schemas, resolves their
// references, and links or copies the documents that they name. All JSON values of resources pass through it.
//
// References that a change adds are resolved with the rights of its caller. A reference to a document of the resource
// itself links the document. A document elsewhere that is visible to the caller is copied, and the reference replaced;
// any other document reference makes the value invalid, whatever its schema. Earlier references are not resolved again.
type values struct {
	*lookUps

	targets *persistence.Targets
	// formDocuments are the documents named in values of forms of this change.
	formDocuments map[uuid.UUID]bool
	// step is the number of validations and patches so far.
	step int
}

func newValues(l *lookUps) *values {
	return &values{lookUps: l, targets: persistence.NewTargets(), formDocuments: map[uuid.UUID]bool{}}
}

// readValues returns the values of a change with the requested look-ups.
func (l *lookUps) readValues() persistence.Read[*values] { return newValues(l).readMore() }

// readMore executes the look-ups that were requested since the last read.
func (vals *values) readMore() persistence.Read[*values] {
	read := persistence.LookUp(vals.caller, vals.pending, vals.now)
	vals.pending = persistence.LookUps{}
	return persistence.Then(read, func(tx *persistence.Tx, found *persistence.Targets) (*values, error) {
		vals.tx = tx
		vals.targets.Merge(found)
		return vals, nil
	})
}

// lookUp executes the queued look-ups in a round trip of their own, if there are any.
func (vals *values) lookUp(ctx context.Context) error {
	if vals.pending.Empty() {
		return nil
	}
	_, err := vals.readMore().Do(ctx, vals.tx)
	return err
}

// valueSite is where a value is stored.
type valueSite struct {
	tenant uuid.UUID
	// owner is the owner of the documents of the value.
	owner  domain.DocumentOwner
	holder domain.ValueHolder
	// holderKind is the kind of holder for which references to items of data sources are verified; "" skips
	// verification.
	holderKind domain.CheckedHolder
}

// processSite returns the place of a value of a process.
func processSite(p *domain.Process, slot domain.ValueSlot) valueSite {
	return valueSite{
		tenant: p.TenantID, owner: domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: p.ID},
		holder: domain.ValueHolder{ID: p.ID, Slot: slot}, holderKind: domain.CheckedProcess,
	}
}

// itemSite returns the place of a value of a process item.
func itemSite(i *domain.ProcessItem, slot domain.ValueSlot) valueSite {
	site := valueSite{
		tenant: i.TenantID, owner: domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: i.ProcessID},
		holder: domain.ValueHolder{ID: i.ID, Slot: slot},
	}
	if i.Task != nil {
		site.holderKind = domain.CheckedItem
	}
	return site
}

// artifactSite returns the place of the data of a business artifact.
func artifactSite(a *domain.BusinessArtifact) valueSite {
	return valueSite{
		tenant: a.TenantID, owner: domain.DocumentOwner{Kind: domain.DocumentOfArtifact, ID: a.ID},
		holder: domain.ValueHolder{ID: a.ID, Slot: domain.SlotData}, holderKind: domain.CheckedArtifact,
	}
}

// prepareInitial returns the value that a new resource begins with, ready to be stored; nil
// without one.
func (vals *values) prepareInitial(
	ctx context.Context, site valueSite, schema *jsondoc.Schema, document json.RawMessage,
) (*domain.JSONValue, error) {
	if document = schema.Initial(document); document == nil {
		return nil, nil
	}
	value, err := vals.prepareValue(ctx, site, schema, nil, document, false)
	if err != nil {
		return nil, err
	}
	return &value, nil
}

// prepareReplacement prepares the new value of an update; current may be nil.
func (vals *values) prepareReplacement(
	ctx context.Context, site valueSite, schema *jsondoc.Schema, current *domain.JSONValue, value json.RawMessage,
) (domain.JSONValue, error) {
	if err := vals.keepUnlinked(site.holder.ID, current); err != nil {
		return domain.JSONValue{}, err
	}
	return vals.prepareValue(ctx, site, schema, current, value, true)
}

// preparePatched applies a patch to a value; current may be nil. Looking up references of the current value, except to
// documents, takes a round trip.
func (vals *values) preparePatched(
	ctx context.Context, site valueSite, schema *jsondoc.Schema, current *domain.JSONValue, patch []jsondoc.Operation,
) (domain.JSONValue, error) {
	if err := vals.keepUnresolved(site.holder.ID, current); err != nil {
		return domain.JSONValue{}, err
	}
	if err := vals.clearUnresolved(textsOf(patch)...); err != nil {
		return domain.JSONValue{}, err
	}
	return vals.patchValue(ctx, site, schema, current, patch)
}

// prepareDraft is patched for a patch that a model wrote. It adds no reference to
// the value.
func (vals *values) prepareDraft(
	ctx context.Context, site valueSite, schema *jsondoc.Schema, current *domain.JSONValue, patch []jsondoc.Operation,
) (domain.JSONValue, error) {
	if err := vals.keepUnresolved(site.holder.ID, current); err != nil {
		return domain.JSONValue{}, err
	}
	if err := vals.markUntrusted(site.holder.ID, current, textsOf(patch)...); err != nil {
		return domain.JSONValue{}, err
	}
	return vals.patchValue(ctx, site, schema, current, patch)
}

func (vals *values) patchValue(
	ctx context.Context, site valueSite, schema *jsondoc.Schema, current *domain.JSONValue, patch []jsondoc.Operation,
) (domain.JSONValue, error) {
	document := json.RawMessage("{}")
	if current != nil {
		document = current.Value
	}
	result, err := vals.applyPatch(document, patch)
	if err != nil {
		return domain.JSONValue{}, err
	}
	return vals.prepareValue(ctx, site, schema, current, result, true)
}

func (vals *values) prepareValue(
	ctx context.Context, site valueSite, schema *jsondoc.Schema, current *domain.JSONValue, document json.RawMessage, update bool,
) (domain.JSONValue, error) {
	found, err := vals.findReferences(document)
	if err != nil {
		return domain.JSONValue{}, err
	}
	var items domain.ItemReferences
	if site.holderKind != "" && refersToItems(found) {
		items = domain.ItemReferences{}
	}
	value, linked, err := vals.resolveValue(ctx, site, validation{schema: schema, document: document, update: update, items: items})
	if err != nil {
		return domain.JSONValue{}, err
	}
	if len(items) > 0 {
		if err := vals.checkItems(ctx, site, schema, current, &value, items); err != nil {
			return domain.JSONValue{}, err
		}
	}
	vals.tx.Link(site.holder, vals.targets.Links[site.holder], linked, vals.now.Add(domain.UnlinkedLifetime))
	vals.targets.Links[site.holder] = linked
	return value, nil
}

// resolveValue returns a value with its references looked up, its documents copied where
// they belong elsewhere, and held against its schema; linked are the documents that
// it refers to then.
func (vals *values) resolveValue(
	ctx context.Context, site valueSite, v validation,
) (value domain.JSONValue, linked []uuid.UUID, err error) {
	found, err := vals.findReferences(v.document)
	if err != nil {
		return value, nil, err
	}
	for _, id := range vals.targets.Links[site.holder] {
		vals.requested[target{kuflowref.KindFile, id}] = true
	}
	vals.addReferences(found)
	if err := vals.lookUp(ctx); err != nil {
		return value, nil, err
	}
	files := vals.resolveFiles(site, found)
	if len(files.texts) > 0 {
		if v.document, err = jsondoc.ReplaceStrings(v.document, files.texts); err != nil {
			return value, nil, err
		}
	}
	v.resolve = vals.newResolver(site)
	value, err = vals.validate(v)
	if err != nil {
		return value, nil, err
	}
	return invalidAt(value, files.absent), files.linked, nil
}

// resolvedFiles contains the resolved references to documents of a value.
type resolvedFiles struct {
	linked []uuid.UUID
	// texts are the references that become others, by their pointers.
	texts map[string]string
	// absent are the pointers of references without a target.
	absent []string
}

// resolveFiles finds the documents of a value and copies each document of another resource once.
func (vals *values) resolveFiles(site valueSite, found []jsondoc.Occurrence) resolvedFiles {
	result := resolvedFiles{texts: map[string]string{}}
	copies := map[uuid.UUID]domain.Document{}
	for _, occurrence := range found {
		file, ok := occurrence.Reference.(kuflowref.File)
		if !ok {
			continue
		}
		original, ok := vals.findDocument(site.tenant, file)
		if !ok {
			result.absent = append(result.absent, occurrence.Pointer)
			continue
		}
		if original.Owner() == site.owner {
			result.linked = append(result.linked, original.ID)
			continue
		}
		made, ok := copies[original.ID]
		if !ok {
			made = original.Copy(vals.preparedWork().copyID(vals.step, original.ID), site.owner, vals.caller.PrincipalID, vals.now)
			copies[original.ID] = made
			vals.tx.InsertDocument(&made)
			vals.targets.Add(made)
			result.linked = append(result.linked, made.ID)
		}
		file.URI, file.Type, file.Size, file.Name = uriOf(&made), made.ContentType, made.Size, made.Name
		result.texts[occurrence.Pointer] = file.String()
	}
	return result
}

// findDocument returns the document of a reference.
func (vals *values) findDocument(tenant uuid.UUID, file kuflowref.File) (domain.Document, bool) {
	at, ok := file.Document()
	if !ok || vals.unresolved[target{kuflowref.KindFile, at.DocumentID}] {
		return domain.Document{}, false
	}
	d, ok := vals.targets.Document(tenant, at.DocumentID)
	return d, ok && isAt(&d, at)
}

// newResolver returns the resolver of references for validation. It accepts all items
// of data sources: checkItems has them checked by their workers.
func (vals *values) newResolver(site valueSite) jsondoc.Resolver {
	return func(r kuflowref.Reference) (jsondoc.Stored, bool) {
		if named, ok := targetOf(r); ok && vals.unresolved[named] {
			return jsondoc.Stored{}, false
		}
		switch r := r.(type) {
		case kuflowref.File:
			d, ok := vals.findDocument(site.tenant, r)
			return jsondoc.Stored{Name: d.Name, Type: d.ContentType, Size: d.Size}, ok
		case kuflowref.Principal:
			return jsondoc.Stored{}, vals.targets.Principal(site.tenant, r.ID)
		case kuflowref.Group:
			return jsondoc.Stored{}, vals.targets.Group(site.tenant, r.ID)
		case kuflowref.Process:
			return jsondoc.Stored{}, vals.targets.Process(site.tenant, r.ID)
		case kuflowref.BusinessArtifact:
			return jsondoc.Stored{}, vals.targets.Artifact(site.tenant, r.ID)
		default:
			return jsondoc.Stored{}, true
		}
	}
}

// invalidAt adds format errors at the pointers to a value.
func invalidAt(value domain.JSONValue, pointers []string) domain.JSONValue {
	const format = "format"
	if len(pointers) == 0 {
		return value
	}
	for _, pointer := range pointers {
		value.Errors = append(value.Errors, domain.ValueError{PropertyPath: pointer, Type: format})
	}
	value.SortErrors()
	value.Valid = false
	return value
}
