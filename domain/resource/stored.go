package resource

import (
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain/jsontext"
)

// SpecJSON returns the spec as it is stored and compared: compact, with the members in the order of the type and
// users' own JSON digit for digit. Two manifests with the same content have equal ones.
func (d Document) SpecJSON() (json.RawMessage, error) {
	text, err := jsontext.Marshal(d.Spec)
	if err != nil {
		return nil, fmt.Errorf("encoding the spec of a %s: %w", d.Kind, err)
	}
	return text, nil
}

// FromStored reads a manifest from the output of SpecJSON, without checking the rules again.
func FromStored(kind Kind, metadata Metadata, spec []byte) (Document, error) {
	d := Document{Kind: kind, Metadata: metadata, Spec: newSpec(kind)}
	if d.Spec == nil {
		return Document{}, fmt.Errorf("decoding a stored document: there is no kind %q", kind)
	}
	if err := json.Unmarshal(spec, d.Spec); err != nil {
		return Document{}, fmt.Errorf("decoding the stored spec of a %s: %w", kind, err)
	}
	return d, nil
}
