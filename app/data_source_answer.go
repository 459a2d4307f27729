package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// maxDataSourceMessage bounds the stored part of a worker's error, in characters.
const maxDataSourceMessage = 500

// FinishDataSourceRun ends a run of a data source with the answer of the worker; problem is the reason why it could not
// be read, "" for none. An ended run stays unchanged. The verdicts of a check are stored in its value, except at
// references that were saved meanwhile.
func (s *Service) FinishDataSourceRun(
	ctx context.Context, id uuid.UUID, answer json.RawMessage, problem string,
) error {
	return s.endDataSourceRun(ctx, id, func(run *domain.DataSourceRun) (verdicts []domain.ItemVerdict) {
		now := s.now()
		if problem != "" {
			run.Fail(domain.DataSourceInvalidAnswer, problem, now)
			return nil
		}
		var page *domain.DataSourcePage
		var refusal string
		var err error
		if run.Check != nil {
			verdicts, refusal, err = readItemVerdicts(answer, len(run.Check.Pointers))
		} else {
			page, refusal, err = readDataSourcePage(answer)
		}
		switch {
		case err != nil:
			run.Fail(domain.DataSourceInvalidAnswer, "the answer of the data source cannot be read: "+err.Error(), now)
		case refusal != "":
			run.Fail(domain.DataSourceRefused, refusal, now)
		default:
			run.Complete(page, now)
		}
		return verdicts
	})
}

// FailDataSourceRun ends a run of a data source that gets no answer. A run that has
// ended stays as it is.
func (s *Service) FailDataSourceRun(ctx context.Context, id uuid.UUID, code string) error {
	return s.endDataSourceRun(ctx, id, func(run *domain.DataSourceRun) []domain.ItemVerdict {
		if code == domain.DataSourceTimedOut {
			run.TimeOut(s.now())
		} else {
			run.Fail(code, "the worker of the data source failed", s.now())
		}
		return nil
	})
}

// endDataSourceRun ends a run that is still open, a check together with the save that
// its verdicts make. end returns the verdicts, nil when there are none.
func (s *Service) endDataSourceRun(
	ctx context.Context, id uuid.UUID, end func(*domain.DataSourceRun) []domain.ItemVerdict,
) error {
	err := s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		run, err := tx.LockDataSourceRun(ctx, id)
		if err != nil || run.State != domain.DataSourceRunPending {
			return nil, err
		}
		verdicts, events := end(run), domain.NoEvents()
		if run.Check != nil {
			if events, err = judgeItems(ctx, tx, run, verdicts); err != nil {
				return nil, err
			}
		}
		return events, tx.FinishDataSourceRun(run)
	})
	if domain.HasCode(err, domain.CodeNotFound) {
		return nil
	}
	return err
}

// readDataSourcePage reads the answer to a query (engine contract, section 7), or
// the error that the worker answered with.
func readDataSourcePage(text json.RawMessage) (page *domain.DataSourcePage, refusal string, err error) {
	var answer struct {
		PageNumber    int               `json:"pageNumber"`
		PageSize      int               `json:"pageSize"`
		TotalElements int64             `json:"totalElements"`
		TotalPages    int               `json:"totalPages"`
		Items         []json.RawMessage `json:"items"`
		Error         string            `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, "", errors.New("it is not an object with the members of a page")
	}
	switch {
	case answer.Error != "":
		return nil, shortenMessage(answer.Error), nil
	case min(int64(answer.PageNumber), int64(answer.PageSize), answer.TotalElements, int64(answer.TotalPages)) < 0:
		return nil, "", errors.New("the numbers of a page are not negative")
	case len(answer.Items) > domain.MaxDataSourcePage:
		return nil, "", fmt.Errorf("it has %d items, at most %d are allowed", len(answer.Items), domain.MaxDataSourcePage)
	}
	page = &domain.DataSourcePage{
		Number: answer.PageNumber, Size: answer.PageSize, TotalElements: answer.TotalElements, TotalPages: answer.TotalPages,
		Items: make([]domain.DataSourceItem, len(answer.Items)),
	}
	for i, item := range answer.Items {
		if page.Items[i], err = readDataSourceItem(item); err != nil {
			return nil, "", fmt.Errorf("item %d %w", i, err)
		}
	}
	return page, "", nil
}

// readDataSourceItem finds the reference to an item: it is named as it is labelled,
// or else by its name.
func readDataSourceItem(text json.RawMessage) (domain.DataSourceItem, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return domain.DataSourceItem{}, errors.New("is not an object")
	}
	item := domain.DataSourceItem{Properties: text}
	if id, err := uuid.Parse(memberText(members, "id")); err == nil {
		name := cmp.Or(memberText(members, "label"), memberText(members, "name"))
		item.Value = kuflowref.DataSource{ID: id, Name: shortenMessage(name)}.String()
	}
	return item, nil
}

// memberText returns a member that is a string, "" for others.
func memberText(members map[string]json.RawMessage, name string) string {
	var text string
	if json.Unmarshal(members[name], &text) != nil {
		return ""
	}
	return text
}

// shortenMessage returns the beginning of a text, as the database takes it.
func shortenMessage(text string) string {
	characters := []rune(storableText(text))
	return string(characters[:min(len(characters), maxDataSourceMessage)])
}
