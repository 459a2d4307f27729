package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// maxElementValues is how many values an element may have.
const maxElementValues = 1000

// elementDefinition is an element, ready for values to be held against it.
type elementDefinition struct {
	*domain.ElementDefinition
	schema *jsondoc.Schema
}

func compileElements(source []domain.ElementDefinition) (map[string]*elementDefinition, error) {
	elements := make(map[string]*elementDefinition, len(source))
	for i := range source {
		schema, err := jsondoc.Compile(source[i].Schema)
		if err != nil {
			return nil, fmt.Errorf("element %s: %w", source[i].Code, err)
		}
		elements[source[i].Code] = &elementDefinition{ElementDefinition: &source[i], schema: schema}
	}
	return elements, nil
}

// unknownElement returns the error for a code without an element.
func unknownElement(field domain.Field, pointer string) error {
	return &domain.Error{
		Kind: domain.KindNotFound, Code: domain.CodeDefinitionNotFound, Message: "definition not found",
		Details: []domain.Detail{{
			Code: domain.CodeDefinitionNotFound, Message: "names no element", Field: field, Location: pointer,
		}},
	}
}

// givenDocument is a document as clients name one in a value.
type givenDocument struct {
	ID  *uuid.UUID `json:"id"`
	URI string     `json:"uri"`
}

// addElements adds the references of values of elements.
func (l *lookUps) addElements(values domain.ElementValues) error {
	for _, list := range values {
		for _, v := range list {
			switch {
			case v.Value == nil:
			case v.Type == domain.ValueDocument:
				value, err := decodeElement[givenDocument](v.Value)
				if err != nil {
					return err
				}
				if at, ok := kuflowref.ParseDocumentURI(value.URI); ok {
					l.pending.Documents = append(l.pending.Documents, at.DocumentID)
				}
			case v.Type == domain.ValuePrincipal:
				value, err := decodeElement[domain.PrincipalValue](v.Value)
				if err != nil {
					return err
				}
				l.pending.Named = append(l.pending.Named, value.ID)
			case v.Type == domain.ValueObject:
				if err := l.addText(v.Value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func decodeElement[T any](text json.RawMessage) (T, error) {
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		return value, fmt.Errorf("reading a value of an element: %w", err)
	}
	return value, nil
}

// initialElements returns the values of the elements of a new resource. Their references were looked up.
func (vals *values) initialElements(
	ctx context.Context, site valueSite, definitions map[string]*elementDefinition, elements domain.ElementValues,
) (domain.ElementValues, error) {
	var values domain.ElementValues
	for _, code := range slices.Sorted(maps.Keys(elements)) {
		location := "/" + jsontext.EscapeToken(code)
		d, ok := definitions[code]
		if !ok {
			return nil, unknownElement(domain.FieldElements, location)
		}
		list, err := vals.prepareElement(ctx, site, d, nil, elements[code], location, false)
		if err != nil {
			return nil, err
		}
		values = values.With(code, list)
	}
	return values, vals.linkElements(site, values)
}

// linkElements links the documents that the values of the elements of a resource
// refer to. A reference within the value of a form counts when this save resolved
// it, or an earlier one did.
func (vals *values) linkElements(site valueSite, values domain.ElementValues) error {
	documents, err := values.Documents()
	if err != nil {
		return err
	}
	for _, text := range values.Objects() {
		found, err := vals.findReferences(text)
		if err != nil {
			return err
		}
		for _, o := range found {
			named, ok := targetOf(o.Reference)
			resolved := vals.formDocuments[named.id] || slices.Contains(vals.targets.Links[site.holder], named.id)
			if ok && named.kind == kuflowref.KindFile && resolved && !slices.Contains(documents, named.id) {
				documents = append(documents, named.id)
			}
		}
	}
	vals.tx.Link(site.holder, vals.targets.Links[site.holder], documents, vals.now.Add(domain.UnlinkedLifetime))
	vals.targets.Links[site.holder] = documents
	return nil
}

// prepareElement prepares the values of one element for storage, given its previous
// ones. A value is invalid if it does not fit the definition or if the client
// marks it so. location is the JSON Pointer of the list within the elements,
// update is set when they replace others.
func (vals *values) prepareElement(
	ctx context.Context, site valueSite, d *elementDefinition, current, elements []domain.ElementValue, location string,
	update bool,
) ([]domain.ElementValue, error) {
	if !d.Multiple && len(elements) > 1 {
		return nil, domain.InvalidAt(domain.FieldElements, location, "must have one value at most: the element is not multiple")
	}
	for _, text := range (domain.ElementValues{"": current}).Objects() {
		if err := vals.keepUnlinked(site.holder.ID, &domain.JSONValue{Value: text}); err != nil {
			return nil, err
		}
	}
	values := make([]domain.ElementValue, 0, len(elements))
	taken := map[uuid.UUID]bool{}
	for i, v := range elements {
		pointer := location + "/" + strconv.Itoa(i)
		fits := true
		var err error
		switch {
		case v.Type == domain.ValueDocument:
			v, err = vals.documentValue(site, current, v, taken, pointer)
		case v.Value == nil:
			fits = !d.Mandatory
		case v.Type == domain.ValuePrincipal:
			v.Value, fits, err = vals.principalValue(site, v.Value)
		case v.Type == domain.ValueObject:
			v.Value, fits, err = vals.formValue(ctx, site, d, v.Value, pointer+"/value", update)
		case v.Type == d.ValueType():
			fits, err = d.allowsValue(v.Value)
		}
		if err != nil {
			return nil, err
		}
		v.Valid = v.Valid && fits && v.Type == d.ValueType()
		values = append(values, v)
	}
	return values, nil
}

// formValue prepares a JSON value of an element for storage, and reports whether it fits the schema. Its documents are
// linked by linkElements. location is the JSON Pointer of the value within the elements.
func (vals *values) formValue(
	ctx context.Context, site valueSite, d *elementDefinition, text json.RawMessage, location string, update bool,
) (json.RawMessage, bool, error) {
	value, linked, err := vals.resolveValue(ctx, site, validation{schema: d.schema, document: text, update: update})
	if err != nil {
		return nil, false, nestError(domain.FieldElements, location, err)
	}
	for _, id := range linked {
		vals.formDocuments[id] = true
	}
	return value.Value, value.Valid, nil
}

// allowsValue reports whether the definition allows a value of the element's type.
func (d *elementDefinition) allowsValue(value json.RawMessage) (bool, error) {
	if d.Type != domain.ElementDecision {
		return true, nil
	}
	code, err := decodeElement[string](value)
	return d.Offers(code), err
}

// principalValue completes a value that names a principal, and reports whether
// there is such a one in the tenant.
func (vals *values) principalValue(site valueSite, value json.RawMessage) (json.RawMessage, bool, error) {
	input, err := decodeElement[domain.PrincipalValue](value)
	if err != nil {
		return nil, false, err
	}
	made := domain.PrincipalValue{ID: input.ID, Type: input.Type}
	fits := false
	if p, ok := vals.targets.Named(site.tenant, input.ID); ok {
		made.Name, fits = p.Name, p.Type == input.Type
	}
	text, err := json.Marshal(made)
	if err != nil {
		return nil, false, fmt.Errorf("writing the value of a principal element: %w", err)
	}
	return text, fits, nil
}

// documentValue returns the value that a client names: an existing one of the
// element, or a copy of a document visible to the caller. taken are the ids of
// the values before.
func (vals *values) documentValue(
	site valueSite, current []domain.ElementValue, v domain.ElementValue, taken map[uuid.UUID]bool, pointer string,
) (domain.ElementValue, error) {
	none := domain.ElementValue{}
	if v.Value == nil {
		return none, domain.InvalidAt(domain.FieldElements, pointer+"/value", "is required for a document")
	}
	input, err := decodeElement[givenDocument](v.Value)
	if err != nil {
		return none, err
	}
	uri, isURI := kuflowref.ParseDocumentURI(input.URI)
	if input.URI != "" && !isURI {
		return none, domain.InvalidAt(domain.FieldElements, pointer+"/value/uri", "refers to no document of this service")
	}
	id := domain.NewID()
	for i := range current {
		if current[i].Type != domain.ValueDocument {
			continue
		}
		had, err := current[i].Document()
		if err != nil {
			return none, err
		}
		same := input.ID != nil && *input.ID == had.ID
		if (same && !isURI || isURI && uri.DocumentID == had.DocumentID) && !taken[had.ID] {
			taken[had.ID] = true
			return domain.NewDocumentValue(had, v.Valid)
		}
		if same && !taken[had.ID] {
			id = had.ID
		}
	}
	if !isURI {
		return none, domain.InvalidAt(domain.FieldElements, pointer+"/value/uri", "is required for a document that the element does not have")
	}
	original, ok := vals.targets.Document(site.tenant, uri.DocumentID)
	if !ok || !isAt(&original, uri) {
		return none, domain.InvalidAt(domain.FieldElements, pointer+"/value/uri", "refers to a document that does not exist or is not visible to you")
	}
	made := original.Copy(domain.NewID(), site.owner, vals.caller.PrincipalID, vals.now)
	vals.tx.InsertDocument(&made)
	taken[id] = true
	return newDocumentValue(id, &made, v.Valid)
}

// newDocumentValue returns the value of an element that holds the document.
func newDocumentValue(id uuid.UUID, d *domain.Document, valid bool) (domain.ElementValue, error) {
	return domain.NewDocumentValue(domain.DocumentValue{
		ID: id, DocumentID: d.ID, URI: DocumentURI(d), Name: d.Name, ContentType: d.ContentType, ContentLength: d.Size,
	}, valid)
}

// taskElementEvent creates an event about an element of a task.
func taskElementEvent(c *change, t domain.EventType, i *domain.ProcessItem, code string) domain.Events {
	return domain.Events{domain.ItemEvent(t, i, c.caller.PrincipalID, c.now).With("code", code)}
}

// changeTaskElements changes values of elements of a task that the caller may write to. elements are the values with
// references. change returns the event to record, nil without a change.
func (s *Service) changeTaskElements(
	ctx context.Context, call domain.Call, id uuid.UUID, elements domain.ElementValues,
	change func(*values, *domain.ProcessItem, map[string]*elementDefinition) (domain.Events, error),
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		l := newLookUps(call.Caller, s.now(), &id)
		if err := l.addElements(elements); err != nil {
			return nil, err
		}
		locked, vals, err := persistence.Both(ctx, tx, persistence.LockProcessItem(call.Caller, id), l.readValues())
		if err != nil {
			return nil, err
		}
		item, err = s.changeElements(ctx, vals, locked, change)
		return vals.events, err
	})
	return item, err
}

// changeElements is changeTaskElements for a task that is under lock.
func (s *Service) changeElements(
	ctx context.Context, vals *values, locked *persistence.LockedItem,
	change func(*values, *domain.ProcessItem, map[string]*elementDefinition) (domain.Events, error),
) (*domain.ProcessItem, error) {
	item := locked.ProcessItem
	if err := item.CheckMayWriteTask(locked.Rights, vals.caller.PrincipalID); err != nil {
		return nil, err
	}
	d, err := s.definitions.get(ctx, vals.tx, locked.ProcessVersion)
	if err != nil {
		return nil, err
	}
	events, err := change(vals, item, d.items[item.DefinitionCode()].elements)
	if err != nil || events == nil {
		return item, err
	}
	vals.record(events.ForOwner(item, locked.Rights)...)
	if err := vals.linkElements(itemSite(item, domain.SlotElement), item.Task.Elements); err != nil {
		return nil, err
	}
	return item, vals.tx.UpdateTaskElements(item)
}
