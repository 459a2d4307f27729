package shapea

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/domain"
)

// elementValueList returns a list of values as a client sent it.
func elementValueList(values []oasa.ElementValue) []domain.ElementValue {
	elements := make([]domain.ElementValue, len(values))
	for i, v := range values {
		elements[i] = domain.ElementValue{
			Type: domain.ElementValueType(v.Type), Valid: v.Valid == nil || *v.Valid, Value: v.Value,
		}
	}
	return elements
}

// elementValues returns the values of several elements.
func elementValues(values map[string][]oasa.ElementValue) domain.ElementValues {
	elements := make(domain.ElementValues, len(values))
	for code, list := range values {
		elements[code] = elementValueList(list)
	}
	return elements
}

// convertElements converts stored values. Documents lose their internal members; task is part of
// their download addresses.
func convertElements(task uuid.UUID, stored domain.ElementValues) (map[string][]oasa.ElementValue, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	converted := make(map[string][]oasa.ElementValue, len(stored))
	for code, list := range stored {
		values := make([]oasa.ElementValue, len(list))
		for i, v := range list {
			values[i] = oasa.ElementValue{Valid: &v.Valid, Type: string(v.Type), Value: v.Value}
			if v.Type != domain.ValueDocument {
				continue
			}
			var err error
			if values[i].Value, err = documentValue(task, &v); err != nil {
				return nil, err
			}
		}
		converted[code] = values
	}
	return converted, nil
}

// documentItem is TaskElementValueDocumentItem in the order that people read.
type documentItem struct {
	ID            uuid.UUID `json:"id"`
	URI           string    `json:"uri"`
	Name          string    `json:"name"`
	ContentPath   string    `json:"contentPath"`
	ContentType   string    `json:"contentType"`
	ContentLength int64     `json:"contentLength"`
}

// contentPath returns where the document of a value is downloaded (A26).
func contentPath(task, value uuid.UUID) string {
	return "/v2022-10-08/tasks/" + task.String() + "/~actions/download-element-value-document?documentId=" + value.String()
}

func documentValue(task uuid.UUID, v *domain.ElementValue) (json.RawMessage, error) {
	d, err := v.Document()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(documentItem{d.ID, d.URI, d.Name, contentPath(task, d.ID), d.ContentType, d.ContentLength})
	if err != nil {
		return nil, fmt.Errorf("showing a document: %w", err)
	}
	return text, nil
}
