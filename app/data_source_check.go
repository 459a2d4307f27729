package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// itemCheckRequest is the one argument of the activity that checks values (engine
// contract, section 7).
type itemCheckRequest struct {
	TenantID uuid.UUID `json:"tenantId"`
	Code     string    `json:"code"`
	Values   []string  `json:"values"`
}

// refersToItems reports whether there is a reference to an item of a data source.
func refersToItems(found []jsondoc.Occurrence) bool {
	return slices.ContainsFunc(found, func(o jsondoc.Occurrence) bool {
		return o.Reference.Kind() == kuflowref.KindDataSource
	})
}

// checkItems requests a check of a value's references to items of data sources, except where the stored value has a
// verdict at the same place. The value is not valid before all are accepted.
func (vals *values) checkItems(
	ctx context.Context, site valueSite, schema *jsondoc.Schema, stored, value *domain.JSONValue, items domain.ItemReferences,
) error {
	if len(items) > domain.MaxItemReferences {
		return domain.InvalidBody("", fmt.Sprintf("refers to %d items of data sources, at most %d are allowed",
			len(items), domain.MaxItemReferences))
	}
	before := domain.ItemReferences{}
	if stored != nil {
		_, err := vals.validate(validation{schema: schema, document: stored.Value, items: before})
		if _, long := errors.AsType[*longWorkError](err); long {
			return err
		}
		if err != nil {
			// A stored value that cannot be checked has no verdicts.
			clear(before)
		}
	}
	admitted := value.AdmitChecks(value.CarryVerdicts(items, stored, before, vals.now))
	if len(admitted) > 0 && !vals.sources {
		vals.pending.Sources, vals.sources = true, true
		if err := vals.lookUp(ctx); err != nil {
			return err
		}
	}
	for _, code := range slices.Sorted(maps.Keys(admitted)) {
		source, ok := vals.targets.DataSource(site.tenant, code)
		if !ok {
			value.Unavailable(admitted[code])
			continue
		}
		if err := vals.requestItemCheck(site, source, value, admitted[code]); err != nil {
			return err
		}
	}
	value.SortErrors()
	return nil
}

// requestItemCheck queues the question to a data source about references. It is sent once the value is stored.
func (vals *values) requestItemCheck(
	site valueSite, source *persistence.AskedDataSource, value *domain.JSONValue, items []domain.ItemReference,
) error {
	check := &domain.ItemCheck{Kind: site.holderKind, HolderID: site.holder.ID, Slot: site.holder.Slot}
	request := itemCheckRequest{TenantID: site.tenant, Code: source.Code}
	for _, reference := range items {
		check.Pointers = append(check.Pointers, reference.Pointer)
		request.Values = append(request.Values, reference.Text)
	}
	text, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("writing a check of a data source: %w", err)
	}
	run := domain.NewDataSourceCheck(domain.NewID(), &source.DataSource, check, vals.caller.PrincipalID, vals.now)
	value.Await(items, run)
	vals.tx.InsertDataSourceRun(run)
	startWorkflow(vals.tx, domain.NewDataSourceRun(domain.NewID(), run, &source.DataSource, source.Namespace, text),
		source.EncryptionKey, vals.now)
	return nil
}

// readItemVerdicts reads the answer to a check of so many values, or the error that
// the worker answered with.
func readItemVerdicts(text json.RawMessage, count int) (verdicts []domain.ItemVerdict, refusal string, err error) {
	var answer struct {
		Error       string `json:"error"`
		Validations []struct {
			Valid   *bool  `json:"valid"`
			Message string `json:"message"`
		} `json:"validations"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, "", errors.New("it is not an object with validations")
	}
	if answer.Error != "" {
		return nil, shortenMessage(answer.Error), nil
	}
	if len(answer.Validations) != count {
		return nil, "", fmt.Errorf("it has %d validations of %d values", len(answer.Validations), count)
	}
	for i, v := range answer.Validations {
		if v.Valid == nil {
			return nil, "", fmt.Errorf("validation %d does not say whether the value is valid", i)
		}
		verdicts = append(verdicts, domain.ItemVerdict{Valid: *v.Valid, Message: shortenMessage(v.Message)})
	}
	return verdicts, "", nil
}

// errNothingToJudge means that no reference waits for a check any longer.
var errNothingToJudge = errors.New("nothing waits for the check")

// judgeItems notes the verdicts of a check in the value that it is about, except at
// references that were saved meanwhile.
func judgeItems(
	ctx context.Context, tx *persistence.Tx, run *domain.DataSourceRun, verdicts []domain.ItemVerdict,
) (events domain.Events, err error) {
	j := verdictWriter{tx: tx, run: run, verdicts: verdicts}
	switch run.Check.Kind {
	case domain.CheckedProcess:
		events, err = j.judgeProcess(ctx)
	case domain.CheckedItem:
		events, err = j.judgeItem(ctx)
	case domain.CheckedArtifact:
		events, err = j.judgeArtifact(ctx)
	}
	if errors.Is(err, errNothingToJudge) || domain.HasCode(err, domain.CodeNotFound) {
		return domain.NoEvents(), nil
	}
	return events, err
}

// verdictWriter notes the verdicts of a run in the resource that holds the value.
type verdictWriter struct {
	tx       *persistence.Tx
	run      *domain.DataSourceRun
	verdicts []domain.ItemVerdict
}

// judgeValue returns the stored value with the verdicts.
func (j *verdictWriter) judgeValue(stored *domain.JSONValue) (domain.JSONValue, error) {
	if stored == nil {
		return domain.JSONValue{}, errNothingToJudge
	}
	value := *stored
	if !value.Judge(j.run, j.verdicts) {
		return value, errNothingToJudge
	}
	return value, nil
}

func (j *verdictWriter) judgeProcess(ctx context.Context) (domain.Events, error) {
	p, err := j.tx.LockCheckedProcess(ctx, j.run.Check.HolderID)
	if err != nil {
		return nil, err
	}
	stored, set, event := p.Metadata, p.SetMetadata, domain.EventProcessMetadataSaved
	if j.run.Check.Slot == domain.SlotEntity {
		stored, set, event = p.Entity, p.SetEntity, domain.EventProcessEntitySaved
	}
	value, err := j.judgeValue(stored)
	if err != nil {
		return nil, err
	}
	by, now := domain.SystemPrincipalID(), *j.run.FinishedAt
	set(value, by, now)
	saved := domain.ProcessEvent(event, p, by, now).With("valid", strconv.FormatBool(value.Valid))
	return domain.Events{saved}, j.tx.UpdateProcess(p)
}

func (j *verdictWriter) judgeItem(ctx context.Context) (domain.Events, error) {
	i, err := j.tx.LockCheckedItem(ctx, j.run.Check.HolderID)
	if err != nil {
		return nil, err
	}
	stored, set, event := i.Task.Data, i.SetTaskData, domain.EventItemTaskDataSaved
	if j.run.Check.Slot == domain.SlotContextData {
		stored, set, event = i.Task.ContextData, i.SetTaskContextData, domain.EventItemTaskContextDataSaved
	}
	value, err := j.judgeValue(stored)
	if err != nil {
		return nil, err
	}
	by, now := domain.SystemPrincipalID(), *j.run.FinishedAt
	set(value, by, now)
	saved := domain.ItemEvent(event, i, by, now).With("valid", strconv.FormatBool(value.Valid))
	return domain.Events{saved}, j.tx.UpdateTaskData(i)
}

func (j *verdictWriter) judgeArtifact(ctx context.Context) (domain.Events, error) {
	a, err := j.tx.LockCheckedArtifact(ctx, j.run.Check.HolderID)
	if err != nil {
		return nil, err
	}
	value, err := j.judgeValue(a.Data)
	if err != nil {
		return nil, err
	}
	by, now := domain.SystemPrincipalID(), *j.run.FinishedAt
	a.SetData(value, by, now)
	saved := domain.ArtifactEvent(domain.EventArtifactDataSaved, a, by, now).With("valid", strconv.FormatBool(value.Valid))
	return domain.Events{saved}, j.tx.UpdateArtifactVerdict(a)
}
