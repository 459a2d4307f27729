package app

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
)

// TaskForm returns the definition of an opened task as its process has it: the schema and the layout of its form, and
// their texts for a reader.
func (s *Service) TaskForm(
	ctx context.Context, task *domain.OpenedTask, reader *translation.Reader,
) (*domain.ItemDefinition, *translation.Texts, error) {
	d, err := s.definitions.get(ctx, s.store.Reader, task.ProcessVersion)
	if err != nil {
		return nil, nil, err
	}
	item, ok := d.items[task.Item.DefinitionCode()]
	if !ok {
		return nil, nil, domain.NotFound("definition of the task")
	}
	return item.ItemDefinition, d.ItemTexts(item.ItemDefinition, reader), nil
}
