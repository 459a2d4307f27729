package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// viewsAtOnce is how many workflows are looked at at the same time by a replica.
const viewsAtOnce = 8

// cursorPurpose is the purpose of sealed cursors of histories. Temporal trusts their content.
const cursorPurpose = "engine history"

// EngineHistoryPart is which part of the engine's knowledge of a process is asked for.
type EngineHistoryPart struct {
	// WorkflowID is a workflow of the process or a child of one, "" for the process's own workflow.
	WorkflowID string
	// After is the cursor that an earlier part ended with, "" for the newest events. It names the workflow too.
	After string
}

// EngineHistory contains Temporal's view of a workflow of a process.
type EngineHistory struct {
	// MayRepair reports whether the caller may complete a pending activity by hand.
	MayRepair bool
	// Runs are the workflows that the service started for the process, its own first.
	Runs []domain.EngineRun
	// View is nil while the workflow is not started, and once Temporal has deleted it.
	View *domain.WorkflowView
	// Older is the cursor of the events before, "" where there are none.
	Older string
}

// historyCursor is where a history goes on.
type historyCursor struct {
	WorkflowID string `json:"workflow"`
	RunID      string `json:"run"`
	After      []byte `json:"after"`
}

// RetrieveEngineHistory returns the pending activities and the history of a workflow of a process. It queries Temporal
// for at most five seconds. Errors: NOT_FOUND for a process that is not visible to the caller, without a workflow, and
// for a workflow of another; ACCESS_DENIED without the Manager permission; VALIDATION for a cursor that is none;
// UNAVAILABLE when Temporal does not answer or too many ask.
func (s *Service) RetrieveEngineHistory(
	ctx context.Context, call domain.Call, process uuid.UUID, part EngineHistoryPart,
) (*EngineHistory, error) {
	site, err := s.store.Reader.GetEngineSite(ctx, call.Caller, process)
	if err != nil {
		return nil, err
	}
	if !site.Relations.Manager {
		return nil, domain.Denied("the Manager permission on the process is required")
	}
	if len(site.Runs) == 0 {
		return nil, domain.NotFound("workflow")
	}
	at := historyCursor{WorkflowID: part.WorkflowID}
	if part.After != "" {
		if at, err = s.openCursor(process, part.After); err != nil {
			return nil, err
		}
	}
	if at.WorkflowID == "" {
		at.WorkflowID = site.Runs[0].WorkflowID
	}
	history := &EngineHistory{
		Runs: site.Runs, MayRepair: site.RepairGranted || call.Caller.Administration(site.Runs[0].TenantID).Administers(),
	}
	if history.View, err = s.viewWorkflow(ctx, site, at); err != nil {
		return nil, err
	}
	if history.View == nil {
		if !slices.ContainsFunc(site.Runs, func(r domain.EngineRun) bool { return r.WorkflowID == at.WorkflowID }) {
			return nil, domain.NotFound("workflow")
		}
		return history, nil
	}
	if history.View.Older != nil {
		history.Older = s.sealCursor(process, historyCursor{at.WorkflowID, history.View.RunID, history.View.Older})
	}
	if history.View.WorkflowID == site.Runs[0].WorkflowID && site.Runs[0].Kind == domain.RunKindProcess {
		history.View.Waits = slices.Concat(openTasks(site), history.View.Waits)
	}
	return history, nil
}

// viewWorkflow asks Temporal for a workflow.
func (s *Service) viewWorkflow(ctx context.Context, site *persistence.EngineSite, at historyCursor) (*domain.WorkflowView, error) {
	release, err := s.acquireView()
	if err != nil {
		return nil, err
	}
	defer release()
	q := domain.WorkflowQuestion{
		TenantID: site.Runs[0].TenantID, Namespace: site.Runs[0].Namespace,
		WorkflowID: at.WorkflowID, RunID: at.RunID, After: at.After,
	}
	for i := range site.Runs {
		q.Among = append(q.Among, site.Runs[i].WorkflowID)
	}
	view, err := s.viewer(ctx, q)
	if err != nil {
		return nil, domain.Unavailable("Temporal cannot be asked about the workflow now", err)
	}
	return view, nil
}

// acquireView bounds the questions to Temporal, and returns UNAVAILABLE for one too many.
func (s *Service) acquireView() (release func(), err error) {
	if s.viewer == nil {
		return nil, domain.Unavailable("this service has no connection to Temporal", nil)
	}
	select {
	case s.views <- struct{}{}:
		return func() { <-s.views }, nil
	default:
		return nil, domain.Unavailable("too many look at workflows; try again in a moment", nil)
	}
}

// openTasks returns the newest task of each kind that is open, the oldest first.
func openTasks(site *persistence.EngineSite) []domain.WorkflowWait {
	var waits []domain.WorkflowWait
	for code, task := range site.Tasks {
		if task.State.Open() {
			waits = append(waits, domain.WorkflowWait{Kind: domain.WaitTask, Name: code, Since: task.CreatedAt})
		}
	}
	slices.SortFunc(waits, func(a, b domain.WorkflowWait) int {
		if order := a.Since.Compare(b.Since); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
	return waits
}

func (s *Service) sealCursor(process uuid.UUID, c historyCursor) string {
	text, _ := json.Marshal(c) //nolint:errchkjson // texts and bytes
	return base64.RawURLEncoding.EncodeToString(s.sealer.Seal(cursorPurpose, process.String(), text))
}

func (s *Service) openCursor(process uuid.UUID, text string) (c historyCursor, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		sealed, err = s.sealer.Open(cursorPurpose, process.String(), sealed)
	}
	if err == nil {
		err = json.Unmarshal(sealed, &c)
	}
	if err != nil {
		return c, domain.Invalid(domain.LocationQuery, "after", "is not a cursor of this history")
	}
	return c, nil
}
