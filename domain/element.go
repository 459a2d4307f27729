package domain

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
)

// ElementType is the type of an element that users fill in in a process or a task (specification section 2.8).
type ElementType string

// The element types.
const (
	ElementField     ElementType = "FIELD"
	ElementForm      ElementType = "FORM"
	ElementDocument  ElementType = "DOCUMENT"
	ElementDecision  ElementType = "DECISION"
	ElementPrincipal ElementType = "PRINCIPAL"
)

// ElementValueType is the type of the value of an element.
type ElementValueType string

// The types of values.
const (
	ValueString    ElementValueType = "STRING"
	ValueNumber    ElementValueType = "NUMBER"
	ValueObject    ElementValueType = "OBJECT"
	ValueDocument  ElementValueType = "DOCUMENT"
	ValuePrincipal ElementValueType = "PRINCIPAL"
)

// ElementDefinition describes an element of a process or of a task. FieldType is
// set for fields, Schema for forms, Options for decisions.
type ElementDefinition struct {
	Code      string           `json:"code"`
	Name      string           `json:"name,omitempty"`
	Type      ElementType      `json:"type"`
	FieldType ElementValueType `json:"fieldType,omitempty"`
	// Multiple elements may have several values.
	Multiple bool `json:"multiple,omitempty"`
	// Mandatory elements of a task need a value before it can be completed.
	Mandatory bool            `json:"mandatory,omitempty"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	Options   []ElementOption `json:"options,omitempty"`
}

// ElementOption is one choice of a decision.
type ElementOption struct {
	Code string `json:"code"`
	Name string `json:"name,omitempty"`
}

// ValueType returns the type of the values of the element.
func (d *ElementDefinition) ValueType() ElementValueType {
	switch d.Type {
	case ElementForm:
		return ValueObject
	case ElementDocument:
		return ValueDocument
	case ElementPrincipal:
		return ValuePrincipal
	case ElementField:
		if d.FieldType != "" {
			return d.FieldType
		}
	case ElementDecision:
	}
	return ValueString
}

// Offers reports whether a decision has an option with the code.
func (d *ElementDefinition) Offers(code string) bool {
	for _, option := range d.Options {
		if option.Code == code {
			return true
		}
	}
	return false
}

// ElementValue is a value of an element. Value is JSON of the type Type, stored as text, nil for none; for a
// document it is a DocumentValue. Valid reports whether it conforms to the definition of the element and was not
// saved as invalid.
type ElementValue struct {
	Type  ElementValueType `json:"type"`
	Valid bool             `json:"valid"`
	Value json.RawMessage  `json:"value,omitempty"`
}

// DocumentValue is the value of a document element. ID is the id of the value, by which clients replace, delete
// and download it; it stays the same when the document is replaced.
type DocumentValue struct {
	ID            uuid.UUID `json:"id"`
	DocumentID    uuid.UUID `json:"documentId"`
	URI           string    `json:"uri"`
	Name          string    `json:"name"`
	ContentType   string    `json:"contentType"`
	ContentLength int64     `json:"contentLength"`
}

// PrincipalValue is the value of a principal element.
type PrincipalValue struct {
	ID   uuid.UUID     `json:"id"`
	Type PrincipalType `json:"type"`
	Name string        `json:"name,omitempty"`
}

// Document returns the content of a value of a document element.
func (v *ElementValue) Document() (DocumentValue, error) {
	var d DocumentValue
	if err := json.Unmarshal(v.Value, &d); err != nil {
		return d, fmt.Errorf("reading the value of a document element: %w", err)
	}
	return d, nil
}

// NewDocumentValue returns a value of a document element.
func NewDocumentValue(d DocumentValue, valid bool) (ElementValue, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return ElementValue{}, fmt.Errorf("writing the value of a document element: %w", err)
	}
	return ElementValue{Type: ValueDocument, Valid: valid, Value: text}, nil
}

// ElementValues maps the codes of element definitions to their values. Elements without values are left out.
type ElementValues map[string][]ElementValue

// With returns a copy with the values of one element replaced.
func (v ElementValues) With(code string, values []ElementValue) ElementValues {
	changed := make(ElementValues, len(v)+1)
	for other, kept := range v {
		if other != code {
			changed[other] = kept
		}
	}
	if len(values) > 0 {
		changed[code] = values
	}
	return changed
}

// Documents returns the ids of the documents to which values refer, each once.
func (v ElementValues) Documents() ([]uuid.UUID, error) {
	var ids []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, values := range v {
		for i := range values {
			if values[i].Type != ValueDocument || values[i].Value == nil {
				continue
			}
			d, err := values[i].Document()
			if err != nil {
				return nil, err
			}
			if !seen[d.DocumentID] {
				seen[d.DocumentID] = true
				ids = append(ids, d.DocumentID)
			}
		}
	}
	return ids, nil
}

// Objects returns the values that are JSON objects, which come from forms.
func (v ElementValues) Objects() []json.RawMessage {
	var texts []json.RawMessage
	for _, values := range v {
		for i := range values {
			if values[i].Type == ValueObject && values[i].Value != nil {
				texts = append(texts, values[i].Value)
			}
		}
	}
	return texts
}

// FindDocument returns the element and the index of the document value with the id.
func (v ElementValues) FindDocument(id uuid.UUID) (code string, index int, found bool) {
	for code, values := range v {
		for i := range values {
			if values[i].Type != ValueDocument {
				continue
			}
			if d, err := values[i].Document(); err == nil && (d.ID == id || d.DocumentID == id) {
				return code, i, true
			}
		}
	}
	return "", 0, false
}

// Complete reports whether every mandatory element has a value.
func (v ElementValues) Complete(definitions []ElementDefinition) bool {
	for i := range definitions {
		if !definitions[i].Mandatory {
			continue
		}
		present := false
		for _, value := range v[definitions[i].Code] {
			present = present || value.Value != nil
		}
		if !present {
			return false
		}
	}
	return true
}

// onlyElement returns the values of one element.
func (v ElementValues) onlyElement(code string) ElementValues { return ElementValues{code: v[code]} }

// Valid reports whether every value is valid.
func (v ElementValues) Valid() bool {
	for _, values := range v {
		for _, value := range values {
			if !value.Valid {
				return false
			}
		}
	}
	return true
}
