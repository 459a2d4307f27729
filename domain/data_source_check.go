package domain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// DataSourceValidateActivity is the activity of the worker that checks values.
const DataSourceValidateActivity = "KuFlow_DataSource_ValidateValue"

// The types of errors about references to items of data sources.
const (
	// ItemPending means that the data source is being asked.
	ItemPending = "dataSourcePending"
	// ItemInvalid means that the data source refused the reference.
	ItemInvalid = "dataSourceInvalid"
	// ItemUnavailable means that the data source was not asked, or did not answer.
	// Saving the value again asks it again.
	ItemUnavailable = "dataSourceUnavailable"
)

const (
	// maxItemsAsked is how many references one save has checked.
	maxItemsAsked = 100
	// maxItemText is the maximum size of a checked reference, maxItemTexts of all references of one save, in bytes.
	maxItemText  = 8 << 10
	maxItemTexts = 48 << 10
	// MaxItemReferences is how many references to be checked a value may have.
	MaxItemReferences = 1000
)

// ItemReference is a reference to an item of the data source with the code Source,
// as it is written at a JSON Pointer of a value.
type ItemReference struct {
	Pointer string
	Source  string
	Text    string
}

// ItemReferences is a set of references.
type ItemReferences map[ItemReference]struct{}

// Sorted lists the references by their pointers.
func (r ItemReferences) Sorted() []ItemReference {
	list := make([]ItemReference, 0, len(r))
	for reference := range r {
		list = append(list, reference)
	}
	slices.SortFunc(list, func(a, b ItemReference) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Source, b.Source), strings.Compare(a.Text, b.Text))
	})
	return list
}

// ValueCheck is the part of an error about a reference that is for the service: which data
// source is meant and, while it is asked, the run that brings the verdict. A value
// that is saved after Until asks again.
type ValueCheck struct {
	Source string    `json:"source"`
	Run    uuid.UUID `json:"run,omitzero"`
	Until  time.Time `json:"until,omitzero"`
}

// CheckedHolder is the kind of resource that a checked value belongs to.
type CheckedHolder string

// The resources with checked values.
const (
	CheckedProcess  CheckedHolder = "PROCESS"
	CheckedItem     CheckedHolder = "PROCESS_ITEM"
	CheckedArtifact CheckedHolder = "BUSINESS_ARTIFACT"
)

// ItemCheck is a check of references in a value of a resource. A verdict belongs to
// the reference at the pointer of the same index.
type ItemCheck struct {
	Kind     CheckedHolder `json:"kind"`
	HolderID uuid.UUID     `json:"holderId"`
	Slot     ValueSlot     `json:"slot"`
	Pointers []string      `json:"pointers"`
}

// ItemVerdict is the verdict of a data source about a reference. Message is for people.
type ItemVerdict struct {
	Valid   bool
	Message string
}

// NewDataSourceCheck returns a check that waits for its verdicts.
func NewDataSourceCheck(id uuid.UUID, source *DataSource, check *ItemCheck, by uuid.UUID, now time.Time) *DataSourceRun {
	run := NewDataSourceQuery(id, source, by, now)
	run.Check = check
	return run
}

// CarryVerdicts copies verdicts of the stored value to the new value. It returns the references to check: new ones,
// and references without a verdict because the data source did not answer in time.
func (v *JSONValue) CarryVerdicts(
	references ItemReferences, stored *JSONValue, before ItemReferences, now time.Time,
) (items []ItemReference) {
	verdicts := map[[2]string]ValueError{}
	if stored != nil {
		for _, e := range stored.Errors {
			if e.Check != nil {
				verdicts[[2]string{e.PropertyPath, e.Check.Source}] = e
			}
		}
	}
	for _, reference := range references.Sorted() {
		_, unchanged := before[reference]
		e, blamed := verdicts[[2]string{reference.Pointer, reference.Source}]
		switch {
		case !unchanged:
			items = append(items, reference)
		case !blamed:
		case e.Type == ItemInvalid, e.Type == ItemPending && now.Before(e.Check.Until):
			v.addError(e)
		default:
			items = append(items, reference)
		}
	}
	return items
}

// AdmitChecks returns, by data source, the references that one save may ask for. The
// others have errors in the value then.
func (v *JSONValue) AdmitChecks(items []ItemReference) map[string][]ItemReference {
	admitted := map[string][]ItemReference{}
	count, size := 0, 0
	for _, reference := range items {
		switch {
		case len(reference.Text) > maxItemText:
			v.addError(reference.toValueError(ItemInvalid, fmt.Sprintf("is longer than %d bytes", maxItemText)))
		case count == maxItemsAsked || size+len(reference.Text) > maxItemTexts:
			v.addError(reference.toValueError(ItemUnavailable, fmt.Sprintf(
				"is not checked yet, because at most %d references are checked at once: save the value again", maxItemsAsked)))
		default:
			count, size = count+1, size+len(reference.Text)
			admitted[reference.Source] = append(admitted[reference.Source], reference)
		}
	}
	return admitted
}

// Await marks references as being checked by a run.
func (v *JSONValue) Await(references []ItemReference, run *DataSourceRun) {
	for _, reference := range references {
		e := reference.toValueError(ItemPending, "is being checked by the data source "+reference.Source)
		e.Check.Run, e.Check.Until = run.ID, run.Deadline
		v.addError(e)
	}
}

// Unavailable marks references as not checked.
func (v *JSONValue) Unavailable(references []ItemReference) {
	for _, reference := range references {
		v.addError(reference.toValueError(ItemUnavailable, unavailableMessage(reference.Source)))
	}
}

func unavailableMessage(source string) string {
	return "could not be checked by the data source " + source + ": save the value again to have it checked"
}

func (r ItemReference) toValueError(kind, message string) ValueError {
	return ValueError{PropertyPath: r.Pointer, Type: kind, Message: message, Check: &ValueCheck{Source: r.Source}}
}

func (v *JSONValue) addError(e ValueError) {
	v.Errors, v.Valid = append(v.Errors, e), false
}

// Judge notes the verdicts of a run at the references that still wait for it, and
// reports whether there are any. Without verdicts the references are marked as not
// checked.
func (v *JSONValue) Judge(run *DataSourceRun, verdicts []ItemVerdict) bool {
	judged := false
	kept := make([]ValueError, 0, len(v.Errors))
	for _, e := range v.Errors {
		at := -1
		if e.Type == ItemPending && e.Check != nil && e.Check.Run == run.ID {
			judged, at = true, slices.Index(run.Check.Pointers, e.PropertyPath)
			e = ItemReference{Pointer: e.PropertyPath, Source: e.Check.Source}.toValueError(ItemUnavailable, unavailableMessage(e.Check.Source))
		}
		if at >= 0 && at < len(verdicts) {
			if verdicts[at].Valid {
				continue
			}
			e.Type, e.Message = ItemInvalid, cmp.Or(verdicts[at].Message, "is refused by the data source "+e.Check.Source)
		}
		kept = append(kept, e)
	}
	v.Errors, v.Valid = kept, len(kept) == 0
	return judged
}

// SortErrors orders the errors by place and type, each once.
func (v *JSONValue) SortErrors() {
	slices.SortStableFunc(v.Errors, func(a, b ValueError) int {
		return cmp.Or(strings.Compare(a.PropertyPath, b.PropertyPath), strings.Compare(a.Type, b.Type))
	})
	v.Errors = slices.Compact(v.Errors)
}
