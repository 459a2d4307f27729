package processes

import (
	"strconv"
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// maxExported bounds the rows of a table that is exported.
const maxExported = 10_000

// Export offers the listed processes as a table of comma-separated values.
func (s *Screens) Export(v *web.Visit) (*web.Answer, error) {
	l := parseQuery(v.URL.Query())
	filter := l.boardFilter(v.Call.Caller)
	filter.Languages = ui.ReaderOf(v.Context()).Languages()
	board, err := s.App.FindBoard(v.Context(), v.Call, filter, domain.PageRequest{}, nil)
	if err != nil {
		return nil, err
	}
	head := []string{
		"id", ui.T(v.Context(), "Subject"), ui.T(v.Context(), "Process"), ui.T(v.Context(), "State"), ui.T(v.Context(), "Condition"),
		ui.T(v.Context(), "Started by"), ui.T(v.Context(), "Open tasks"), ui.T(v.Context(), "Started"), ui.T(v.Context(), "Changed"),
	}
	for _, field := range board.Fields {
		head = append(head, field.Field)
	}
	return web.CSV("processes.csv", head, func(add func(...string) error) error {
		return s.App.ExportBoard(v.Context(), v.Call, filter, maxExported, l.sortKeys(),
			func(p *domain.BoardProcess) error {
				row := []string{
					p.ID.String(), p.Subject, ui.NameOf(v.Context(), p.DefinitionName), string(p.State), string(p.Condition.Code), p.InitiatorName, strconv.Itoa(p.OpenTasks),
					p.CreatedAt.UTC().Format(time.RFC3339), p.LastModifiedAt.UTC().Format(time.RFC3339),
				}
				for _, field := range board.Fields {
					row = append(row, p.Indexed[field.Field])
				}
				return add(row...)
			})
	}), nil
}
