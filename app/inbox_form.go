package app

import (
	"context"

	"github.com/procession-dev/procession/domain"
)

// TaskForm returns the definition of an opened task as its process has it: the
// schema and the layout of its form.
func (s *Service) TaskForm(ctx context.Context, task *domain.OpenedTask) (*domain.ItemDefinition, error) {
	d, err := s.definitions.get(ctx, s.store.Reader, task.ProcessVersion)
	if err != nil {
		return nil, err
	}
	item, ok := d.items[task.Item.DefinitionCode()]
	if !ok {
		return nil, domain.NotFound("definition of the task")
	}
	return item.ItemDefinition, nil
}
