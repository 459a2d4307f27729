package resource

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// maxDocuments bounds the documents of one request.
	maxDocuments = 1000
	// maxDocument bounds the text of a document, in bytes.
	maxDocument = 1 << 20
)

// Decode reads manifests strictly: it validates each of them against the JSON Schema of its kind and the rules
// within a manifest, fills in defaults, and refuses to describe one resource twice. MissingReferences checks
// whether their references exist.
//
// It returns all violations at once, up to a limit, in the order of the manifests. A manifest with violations is
// returned too, as far as it can be read, so that it can be checked further, and left out if the resource that it
// describes cannot be determined. Users' own JSON keeps its digits and the order of its members.
func Decode(texts []json.RawMessage) ([]Document, []Violation) {
	if len(texts) > maxDocuments {
		return nil, []Violation{{
			Document: maxDocuments, Message: fmt.Sprintf("is one too many: at most %d documents are applied at once", maxDocuments),
		}}
	}
	d := decoder{first: map[Key]int{}, firstID: map[identifier]int{}}
	documents := make([]Document, 0, len(texts))
	var violations []Violation
	for i, text := range texts {
		document, found := d.decode(i, text)
		violations = append(violations, found...)
		if len(violations) >= maxViolations {
			return nil, violations[:maxViolations]
		}
		if document != nil {
			documents = append(documents, *document)
		}
	}
	return documents, violations
}

// A decoder reads the documents of one request.
type decoder struct {
	// first is where a resource was described first, firstID where an identifier was given first.
	first   map[Key]int
	firstID map[identifier]int
}

// An identifier is an id with its scope of uniqueness: the resources of one kind. A user has the same id in
// every tenant.
type identifier struct {
	kind   Kind
	tenant string
	id     uuid.UUID
}

func (d *decoder) decode(index int, text json.RawMessage) (*Document, []Violation) {
	r := &report{document: index}
	document, ok := d.readDocument(text, r)
	if !ok {
		return nil, r.sortedViolations()
	}
	document.Place = index
	d.checkFirst(&document, r)
	return &document, r.sortedViolations()
}

// checkFirst reports a manifest that describes the same resource as an earlier one.
func (d *decoder) checkFirst(document *Document, r *report) {
	key := document.Key()
	if before, twice := d.first[key]; twice {
		r.add("/metadata/code", "describes the same %s as /documents/%d", key.Kind, before)
		return
	}
	d.first[key] = r.document
	if document.Metadata.ID == nil {
		return
	}
	id := identifier{kind: key.Kind, id: *document.Metadata.ID}
	if key.Kind == KindUser {
		id.tenant = key.Tenant
	}
	if before, twice := d.firstID[id]; twice {
		r.add("/metadata/id", "is the same as that of /documents/%d", before)
		return
	}
	d.firstID[id] = r.document
}

// readDocument reads one manifest. It returns false if the resource that it describes cannot be determined.
func (d *decoder) readDocument(text json.RawMessage, r *report) (Document, bool) {
	if len(text) > maxDocument {
		r.add("", "has more than %d bytes", maxDocument)
		return Document{}, false
	}
	reader := jsontext.NewReader(text)
	reader.RefuseHugeNumbers()
	value := reader.Value()
	if fault, ok := errors.AsType[*jsontext.Error](reader.End()); ok {
		r.add(jsontext.JoinPointer(fault.Path...), "%v", fault)
		return Document{}, false
	}
	kind, ok := readEnvelope(value, r)
	if !ok {
		return Document{}, false
	}
	c, err := contracts[kind]()
	if err == nil {
		err = c.check(value, r)
	}
	if err != nil {
		r.add("", "cannot be checked: %v", err)
		return Document{}, false
	}
	document, err := parseDocument(kind, text)
	if err != nil {
		if len(r.found) == 0 {
			r.add("", "cannot be read: %v", err)
		}
		return Document{}, false
	}
	rules := &report{document: r.document}
	checkRules(&document, rules)
	r.found = MergeViolations(r.found, rules.found)
	if len(r.found) == 0 {
		if document, err = normalizeDocument(document); err != nil {
			r.add("", "cannot be kept: %v", err)
		}
	}
	return document, document.Metadata.Code != ""
}

// readEnvelope determines the kind of a manifest.
func readEnvelope(value any, r *report) (Kind, bool) {
	object, ok := value.(map[string]any)
	if !ok {
		r.add("", "must be an object with apiVersion, kind, metadata and spec")
		return "", false
	}
	if version, present := object["apiVersion"]; !present {
		r.add("/apiVersion", "is required")
	} else if version != APIVersion {
		r.add("/apiVersion", "must be %s", APIVersion)
	}
	kind, present := object["kind"]
	if !present {
		r.add("/kind", "is required")
		return "", false
	}
	var names []string
	for _, defined := range Kinds() {
		if kind == string(defined) {
			return defined, len(r.found) == 0
		}
		names = append(names, string(defined))
	}
	r.add("/kind", "must be one of %s", strings.Join(names, ", "))
	return "", false
}

// parseDocument reads a manifest that may violate its schema, as far as possible. It fails only if reading cannot
// continue.
func parseDocument(kind Kind, text json.RawMessage) (Document, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return Document{}, err
	}
	document := Document{Kind: kind, Spec: newSpec(kind)}
	err := json.Unmarshal(compact.Bytes(), &struct {
		Metadata *Metadata `json:"metadata"`
		Spec     Spec      `json:"spec"`
	}{&document.Metadata, document.Spec})
	var wrongType *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &wrongType) {
		return Document{}, err
	}
	return document, nil
}

// normalizeDocument returns the manifest with defaults filled in, as FromStored would read it.
func normalizeDocument(document Document) (Document, error) {
	document.Spec.fillDefaults()
	spec, err := document.SpecJSON()
	if err != nil {
		return Document{}, err
	}
	if len(document.Metadata.Labels) == 0 {
		document.Metadata.Labels = nil
	}
	return FromStored(document.Kind, document.Metadata, spec)
}

// toUTC returns a time in the precision of the database.
func toUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	kept := t.UTC().Truncate(time.Microsecond)
	return &kept
}
