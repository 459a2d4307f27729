package bulk

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const (
	// pageSize is the number of operations on a page of the list.
	pageSize = 25
	// itemsShown is the number of results on a page of an operation.
	itemsShown = 25
)

// operationView contains a bulk operation with results.
type operationView struct {
	*domain.NamedBulkOperation
	domain.Page[domain.BulkItem]

	query web.Query
	// List is the URL of the list that the user came from, "" for none.
	List    string
	Reason  string
	Problem string
	IsOwn   bool
}

// Show shows a preview, or the progress and the results of a bulk operation. The script of the page reloads the progress.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	return s.showOperation(v, v.URL.Query().Get("list"), "", nil)
}

func (s *Screens) showOperation(v *web.Visit, list, reason string, rejection *domain.Error) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.Bulk.RetrieveOperation(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	o := operationView{NamedBulkOperation: found, query: v.Query("list"), Reason: reason, IsOwn: found.CreatedBy == v.Call.PrincipalID}
	if list != "" {
		o.List = web.LocalPath(list)
	}
	if rejection != nil {
		o.Problem = ui.Problem(v.Context(), rejection)
	}
	if o.State.Ended() {
		if o.Page, err = s.Bulk.FindItems(v.Context(), v.Call, id, nil, v.Page(itemsShown)); err != nil {
			return nil, err
		}
	}
	if v.Partial() && o.State == domain.BulkRunning {
		return &web.Answer{Raw: true, Body: showProgress(&o)}, nil
	}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: showEnd(&o)}, nil
	}
	answer := &web.Answer{Title: kindTitle(v.Context(), found.Kind), Area: areaOf(found.Kind.Subject()), Body: operationPage(&o)}
	return answer.Refused(rejection), nil
}

// Start starts the operation of a preview with a reason.
func (s *Screens) Start(v *web.Visit) (*web.Answer, error) {
	return s.changeOperation(v, func(id uuid.UUID, reason string) error {
		_, err := s.Bulk.Start(v.Context(), v.Call, id, reason)
		return err
	})
}

// Stop ends a running operation.
func (s *Screens) Stop(v *web.Visit) (*web.Answer, error) {
	return s.changeOperation(v, func(id uuid.UUID, _ string) error {
		_, err := s.Bulk.Stop(v.Context(), v.Call, id)
		return err
	})
}

// changeOperation shows an operation after a change, or why the change was refused.
func (s *Screens) changeOperation(v *web.Visit, change func(id uuid.UUID, reason string) error) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	err = change(id, form.Get("reason"))
	if rejection := web.Refusal(err); rejection != nil && rejection.Kind != domain.KindNotFound {
		return s.showOperation(v, form.Get("list"), form.Get("reason"), rejection)
	}
	if err != nil {
		return nil, err
	}
	return web.SeeOther(operationPath(id, "", form.Get("list"))), nil
}

// Report offers the results of an operation as a table of comma-separated values.
func (s *Screens) Report(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	if _, err := s.Bulk.RetrieveOperation(v.Context(), v.Call, id); err != nil {
		return nil, err
	}
	ctx := v.Context()
	head := []string{"id", ui.T(ctx, "Subject"), ui.T(ctx, "Result"), "code", ui.T(ctx, "Reason"), ui.T(ctx, "Time")}
	return web.CSV("bulk-operation-"+id.String()+".csv", head, func(add func(...string) error) error {
		return s.Bulk.ExportItems(ctx, v.Call, id, func(i domain.BulkItem) error {
			at, message := "", ""
			if i.State == domain.BulkItemRefused {
				message = reasonText(ctx, i.Code, i.Message)
			}
			if i.EndedAt != nil {
				at = i.EndedAt.UTC().Format(time.RFC3339)
			}
			return add(i.TargetID.String(), i.Label, string(i.State), string(i.Code), message, at)
		})
	}), nil
}

// listView contains a page of the list of operations.
type listView struct {
	web.Query
	domain.Page[domain.NamedBulkOperation]

	SeveralTenants bool
}

func listStates() []domain.BulkState {
	return []domain.BulkState{domain.BulkRunning, domain.BulkStopped, domain.BulkCompleted}
}

// List shows the started operations of the user and of the tenants that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	l := listView{Query: v.Query("state", "tenant"), SeveralTenants: web.SeveralTenants(v.Call.Caller)}
	web.Restrict(l.Query, "state", listStates()...)
	filter := bulk.Filter{TenantCodes: web.TenantCodes(l.Get("tenant"))}
	if l.Has("state") {
		filter.States = []domain.BulkState{domain.BulkState(l.Get("state"))}
	}
	page := v.Page(pageSize)
	var err error
	if l.Page, err = s.Bulk.FindOperations(v.Context(), v.Call, filter, page, nil); err != nil {
		return nil, err
	}
	if len(l.Items) == 0 && page.Number > 0 {
		return web.SeeOther(l.OnPage(l.TotalPages()).Path("bulk")), nil
	}
	return &web.Answer{Title: ui.T(v.Context(), "Bulk operations"), Area: "bulk", Body: listPage(&l)}, nil
}
