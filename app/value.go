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
func (k *values) readMore() persistence.Read[*values] {
	read := persistence.LookUp(k.caller, k.pending, k.now)
	k.pending = persistence.LookUps{}
	return persistence.Then(read, func(tx *persistence.Tx, found *persistence.Targets) (*values, error) {
		k.tx = tx
		k.targets.Merge(found)
		return k, nil
	})
}

// lookUp executes the queued look-ups in a round trip of their own, if there are any.
func (k *values) lookUp(ctx context.Context) error {
	if k.pending.Empty() {
		return nil
	}
	_, err := k.readMore().Do(ctx, k.tx)
	return err
}

// valueSite is where a value is stored.
type valueSite struct {
	tenant uuid.UUID
	// owner is what the documents of the value belong to.
	owner  domain.DocumentOwner
	holder domain.ValueHolder
	// holderKind is what references to items of data sources are checked for, "" where
	// they are taken on trust.
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
	at := valueSite{
		tenant: i.TenantID, owner: domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: i.ProcessID},
		holder: domain.ValueHolder{ID: i.ID, Slot: slot},
	}
	if i.Task != nil {
		at.holderKind = domain.CheckedItem
	}
	return at
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
func (k *values) prepareInitial(
	ctx context.Context, at valueSite, schema *jsondoc.Schema, given json.RawMessage,
) (*domain.JSONValue, error) {
	if given = schema.Initial(given); given == nil {
		return nil, nil
	}
	value, err := k.prepareValue(ctx, at, schema, nil, given, false)
	if err != nil {
		return nil, err
	}
	return &value, nil
}

// prepareReplacement returns what a value becomes, which may be missing, that is replaced by
// another one.
func (k *values) prepareReplacement(
	ctx context.Context, at valueSite, schema *jsondoc.Schema, current *domain.JSONValue, given json.RawMessage,
) (domain.JSONValue, error) {
	if err := k.keepUnlinked(at.holder.ID, current); err != nil {
		return domain.JSONValue{}, err
	}
	return k.prepareValue(ctx, at, schema, current, given, true)
}

// preparePatched applies a patch to a value, which may be missing. Except for documents,
// what the value referred to before the patch takes a round trip to look up.
func (k *values) preparePatched(
	ctx context.Context, at valueSite, schema *jsondoc.Schema, current *domain.JSONValue, patch []jsondoc.Operation,
) (domain.JSONValue, error) {
	if err := k.keepUnresolved(at.holder.ID, current); err != nil {
		return domain.JSONValue{}, err
	}
	if err := k.clearUnresolved(textsOf(patch)...); err != nil {
		return domain.JSONValue{}, err
	}
	return k.patchValue(ctx, at, schema, current, patch)
}

// prepareDraft is patched for a patch that a model wrote. It adds no reference to
// the value.
func (k *values) prepareDraft(
	ctx context.Context, at valueSite, schema *jsondoc.Schema, current *domain.JSONValue, patch []jsondoc.Operation,
) (domain.JSONValue, error) {
	if err := k.keepUnresolved(at.holder.ID, current); err != nil {
		return domain.JSONValue{}, err
	}
	if err := k.markUntrusted(at.holder.ID, current, textsOf(patch)...); err != nil {
		return domain.JSONValue{}, err
	}
	return k.patchValue(ctx, at, schema, current, patch)
}

func (k *values) patchValue(
	ctx context.Context, at valueSite, schema *jsondoc.Schema, current *domain.JSONValue, patch []jsondoc.Operation,
) (domain.JSONValue, error) {
	document := json.RawMessage("{}")
	if current != nil {
		document = current.Value
	}
	result, err := k.applyPatch(document, patch)
	if err != nil {
		return domain.JSONValue{}, err
	}
	return k.prepareValue(ctx, at, schema, current, result, true)
}

func (k *values) prepareValue(
	ctx context.Context, at valueSite, schema *jsondoc.Schema, current *domain.JSONValue, given json.RawMessage, update bool,
) (domain.JSONValue, error) {
	found, err := k.findReferences(given)
	if err != nil {
		return domain.JSONValue{}, err
	}
	var items domain.ItemReferences
	if at.holderKind != "" && refersToItems(found) {
		items = domain.ItemReferences{}
	}
	value, linked, err := k.resolveValue(ctx, at, validation{schema: schema, given: given, update: update, items: items})
	if err != nil {
		return domain.JSONValue{}, err
	}
	if len(items) > 0 {
		if err := k.checkItems(ctx, at, schema, current, &value, items); err != nil {
			return domain.JSONValue{}, err
		}
	}
	k.tx.Link(at.holder, k.targets.Links[at.holder], linked, k.now.Add(domain.UnlinkedLifetime))
	k.targets.Links[at.holder] = linked
	return value, nil
}

// resolveValue returns a value with its references looked up, its documents copied where
// they belong elsewhere, and held against its schema; linked are the documents that
// it refers to then.
func (k *values) resolveValue(
	ctx context.Context, at valueSite, v validation,
) (value domain.JSONValue, linked []uuid.UUID, err error) {
	found, err := k.findReferences(v.given)
	if err != nil {
		return value, nil, err
	}
	for _, id := range k.targets.Links[at.holder] {
		k.requested[target{kuflowref.KindFile, id}] = true
	}
	k.addReferences(found)
	if err := k.lookUp(ctx); err != nil {
		return value, nil, err
	}
	files := k.resolveFiles(at, found)
	if len(files.texts) > 0 {
		if v.given, err = jsondoc.ReplaceStrings(v.given, files.texts); err != nil {
			return value, nil, err
		}
	}
	v.resolve = k.newResolver(at)
	value, err = k.validate(v)
	if err != nil {
		return value, nil, err
	}
	return invalidAt(value, files.absent), files.linked, nil
}

// files contains what becomes of the references to documents in a value.
type resolvedFiles struct {
	linked []uuid.UUID
	// texts are the references that become others, by their pointers.
	texts map[string]string
	// absent are the pointers of references without a target.
	absent []string
}

// resolveFiles finds the documents that a value refers to and copies those of other
// resources, each once.
func (k *values) resolveFiles(at valueSite, found []jsondoc.Occurrence) resolvedFiles {
	result := resolvedFiles{texts: map[string]string{}}
	copies := map[uuid.UUID]domain.Document{}
	for _, occurrence := range found {
		file, ok := occurrence.Reference.(kuflowref.File)
		if !ok {
			continue
		}
		original, ok := k.findDocument(at.tenant, file)
		if !ok {
			result.absent = append(result.absent, occurrence.Pointer)
			continue
		}
		if original.Owner() == at.owner {
			result.linked = append(result.linked, original.ID)
			continue
		}
		made, ok := copies[original.ID]
		if !ok {
			made = original.Copy(k.preparedWork().copyID(k.step, original.ID), at.owner, k.caller.PrincipalID, k.now)
			copies[original.ID] = made
			k.tx.InsertDocument(&made)
			k.targets.Add(made)
			result.linked = append(result.linked, made.ID)
		}
		file.URI, file.Type, file.Size, file.Name = uriOf(&made), made.ContentType, made.Size, made.Name
		result.texts[occurrence.Pointer] = file.String()
	}
	return result
}

// findDocument returns what a reference to a document leads to.
func (k *values) findDocument(tenant uuid.UUID, file kuflowref.File) (domain.Document, bool) {
	at, ok := file.Document()
	if !ok || k.unresolved[target{kuflowref.KindFile, at.DocumentID}] {
		return domain.Document{}, false
	}
	d, ok := k.targets.Document(tenant, at.DocumentID)
	return d, ok && isAt(&d, at)
}

// newResolver returns the resolver of references for validation. It accepts all items
// of data sources: checkItems has them checked by their workers.
func (k *values) newResolver(at valueSite) jsondoc.Resolver {
	return func(r kuflowref.Reference) (jsondoc.Stored, bool) {
		if named, ok := targetOf(r); ok && k.unresolved[named] {
			return jsondoc.Stored{}, false
		}
		switch r := r.(type) {
		case kuflowref.File:
			d, ok := k.findDocument(at.tenant, r)
			return jsondoc.Stored{Name: d.Name, Type: d.ContentType, Size: d.Size}, ok
		case kuflowref.Principal:
			return jsondoc.Stored{}, k.targets.Principal(at.tenant, r.ID)
		case kuflowref.Group:
			return jsondoc.Stored{}, k.targets.Group(at.tenant, r.ID)
		case kuflowref.Process:
			return jsondoc.Stored{}, k.targets.Process(at.tenant, r.ID)
		case kuflowref.BusinessArtifact:
			return jsondoc.Stored{}, k.targets.Artifact(at.tenant, r.ID)
		default:
			return jsondoc.Stored{}, true
		}
	}
}

// invalidAt adds to a value that the strings at the pointers are not what they
// claim to be.
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
