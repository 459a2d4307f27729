package artifacts

import (
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// maxExported bounds the rows of a table that is exported.
const maxExported = 10_000

// Export offers the listed artifacts as a table of comma-separated values.
func (s *Screens) Export(v *web.Visit) (*web.Answer, error) {
	l := parseQuery(v)
	board, err := s.App.FindArtifactBoard(v.Context(), v.Call, l.boardFilter(), domain.PageRequest{}, nil)
	if err != nil {
		return nil, err
	}
	var fields []domain.NamedMember
	for _, c := range board.Definitions {
		if c.ID == l.Definition {
			fields = c.Indexes
		}
	}
	head := []string{
		"id", ui.T(v.Context(), "Type"), ui.T(v.Context(), "Created"), ui.T(v.Context(), "Changed"), ui.T(v.Context(), "Changed by"),
	}
	for _, field := range fields {
		head = append(head, field.Field)
	}
	return web.CSV("artifacts.csv", head, func(add func(...string) error) error {
		return s.App.ExportArtifactBoard(v.Context(), v.Call, l.boardFilter(), maxExported, l.sortKey(), func(a *domain.BoardArtifact) error {
			row := []string{
				a.ID.String(), ui.NameOf(v.Context(), board.Choice(a).Name), a.CreatedAt.UTC().Format(time.RFC3339),
				a.LastModifiedAt.UTC().Format(time.RFC3339), a.EditorName,
			}
			for _, field := range fields {
				row = append(row, a.Indexed[field.Field])
			}
			return add(row...)
		})
	}), nil
}
