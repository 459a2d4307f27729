package people

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// maxSuccessors bounds the users and groups that are offered as successors.
	maxSuccessors = 500
	// maxWorkShown bounds the tasks, the processes and the rights of a person that a page lists.
	maxWorkShown = 5
)

// leaveView contains a user who is about to be disabled or deleted.
type leaveView struct {
	*resource.Stored

	Work *administration.LeaverWork
	// Delete reports whether the user is deleted.
	Delete bool
	// Successors are the active users and the groups of the tenant.
	Successors []successor
	// Problem is the reason why the last action was refused, "" if none was.
	Problem string
}

// successor is an option for the open work of a person.
type successor struct {
	Value, Name string
	Group       bool
}

// action returns the last element of the path of the form.
func (l *leaveView) action() string {
	if l.Delete {
		return "delete"
	}
	return "disable"
}

// Leave shows the consequences of disabling or deleting a user, and asks for a decision about the open work.
func (s *Screens) Leave(v *web.Visit) (*web.Answer, error) {
	key, err := resources.KeyOf(v, []resource.Kind{resource.KindUser})
	if err != nil {
		return nil, err
	}
	return s.showLeave(v, key, v.URL.Query().Get("do") == "delete", nil)
}

// showLeave shows the page of Leave with the error of a refused action, which may be nil.
func (s *Screens) showLeave(v *web.Visit, key resource.Key, remove bool, rejection *domain.Error) (*web.Answer, error) {
	found, err := s.Administration.RetrieveResource(v.Context(), v.Call, key)
	if err != nil {
		return nil, err
	}
	if !resources.MayChange(v.Call.Caller, found) {
		return nil, domain.Denied("the OWNER role is required to change who owns the tenant")
	}
	l := &leaveView{Stored: found, Delete: remove}
	l.Work, err = s.Administration.FindOpenWork(v.Context(), v.Call, administration.WorkOwner{Tenant: key.Tenant, PrincipalID: found.ID})
	if err != nil {
		return nil, err
	}
	if l.Successors, err = s.findSuccessors(v, key.Tenant, found.ID); err != nil {
		return nil, err
	}
	title := ui.T(v.Context(), "Disable %s?", resource.NameOf(found.Spec))
	if remove {
		title = ui.T(v.Context(), "Delete %s?", resource.NameOf(found.Spec))
	}
	if rejection != nil {
		l.Problem = ui.Problem(v.Context(), rejection)
	}
	return (&web.Answer{Title: title, Area: area, Body: leavePage(l, title)}).Refused(rejection), nil
}

// findSuccessors returns the active users other than one, and the groups of a tenant.
func (s *Screens) findSuccessors(v *web.Visit, tenant string, except uuid.UUID) ([]successor, error) {
	var found []successor
	filter := administration.ResourceFilter{Kinds: []resource.Kind{resource.KindUser, resource.KindGroup}, Tenants: []string{tenant}}
	err := s.Administration.FindResources(v.Context(), v.Call, filter, domain.PageRequest{Size: maxSuccessors}, nil,
		func(list *domain.Listing[resource.Stored]) error {
			found = nil
			return list.Each(func(r *resource.Stored) error {
				if r.ID == except || isDisabled(r) {
					return nil
				}
				of := domain.HandOver{User: r.Metadata.Code}
				if r.Kind == resource.KindGroup {
					of = domain.HandOver{Group: r.Metadata.Code}
				}
				found = append(found, successor{Value: of.String(), Name: resource.NameOf(r.Spec), Group: r.Kind == resource.KindGroup})
				return nil
			})
		})
	return found, err
}

// parseHandOver reads the decision about open work in a form.
func parseHandOver(text string) (*domain.HandOver, error) {
	to, ok := domain.ParseHandOver(text)
	if !ok {
		return nil, domain.Invalid(domain.LocationBody, "handOver", domain.HandOverSyntax)
	}
	return to, nil
}

// setDisabled applies the manifest of a user or an application with another state.
func (s *Screens) setDisabled(v *web.Visit, key resource.Key, disable bool, handOver string) error {
	to, err := parseHandOver(handOver)
	if err != nil {
		return err
	}
	found, err := s.Administration.RetrieveResource(v.Context(), v.Call, key)
	if err != nil {
		return err
	}
	switch spec := found.Spec.(type) {
	case *resource.UserSpec:
		spec.Disabled = disable
	case *resource.ApplicationSpec:
		spec.Disabled = disable
	default:
		return domain.NotFound("page")
	}
	text, err := jsontext.Marshal(found.Document)
	if err != nil {
		return err
	}
	call := v.Call.WithPrecondition(domain.Precondition{
		Resource: found.ID, Match: &domain.Versions{Listed: []domain.Version{found.Version()}},
	})
	_, err = s.Administration.ApplyResources(v.Context(), call, administration.ApplyRequest{
		Documents: []json.RawMessage{text}, HandOver: to,
	})
	return err
}

// Disable disables a user or an application, or enables it again, by applying its manifest.
func (s *Screens) Disable(v *web.Visit) (*web.Answer, error) {
	key, form, err := parseKey(v)
	if err != nil {
		return nil, err
	}
	disable := form.Get("disabled") == "true"
	err = s.setDisabled(v, key, disable, form.Get("handOver"))
	if rejection := web.Refusal(err); rejection != nil && disable && key.Kind == resource.KindUser && rejection.Kind == domain.KindConflict {
		return s.showLeave(v, key, false, rejection)
	}
	return s.showResult(v, key, err)
}

// Delete deletes a user, and hands the open work over.
func (s *Screens) Delete(v *web.Visit) (*web.Answer, error) {
	key, form, err := parseKey(v, resource.KindUser)
	if err != nil {
		return nil, err
	}
	to, err := parseHandOver(form.Get("handOver"))
	if err == nil {
		err = s.Administration.DeleteResource(v.Context(), v.Call, key, "", to)
	}
	if err == nil {
		return web.SeeOther(web.NewQuery("kind", string(key.Kind)).Path(area)), nil
	}
	if rejection := web.Refusal(err); rejection != nil && rejection.Kind != domain.KindNotFound {
		return s.showLeave(v, key, true, rejection)
	}
	return nil, err
}

// unownedView is a page of the work without an active owner.
type unownedView struct {
	web.Query
	domain.Page[domain.UnownedWork]

	// Successors are options by the code of the tenant.
	Successors map[string][]successor
	Problem    string
}

// Unowned lists the work without an active owner.
func (s *Screens) Unowned(v *web.Visit) (*web.Answer, error) { return s.showUnowned(v, nil) }

func (s *Screens) showUnowned(v *web.Visit, rejection *domain.Error) (*web.Answer, error) {
	found, err := s.Administration.FindUnownedWork(v.Context(), v.Call, nil, v.Page(resources.PageSize))
	if err != nil {
		return nil, err
	}
	u := &unownedView{Query: web.NewQuery(), Page: found, Successors: map[string][]successor{}}
	for i := range found.Items {
		tenant := found.Items[i].TenantCode
		if _, known := u.Successors[tenant]; known {
			continue
		}
		if u.Successors[tenant], err = s.findSuccessors(v, tenant, uuid.Nil); err != nil {
			return nil, err
		}
	}
	if rejection != nil {
		u.Problem = ui.Problem(v.Context(), rejection)
	}
	title := ui.T(v.Context(), "Work without an owner")
	return (&web.Answer{Title: title, Area: area, Body: unownedPage(u, title)}).Refused(rejection), nil
}

// HandOver hands over the open work of a person who is disabled or has left.
func (s *Screens) HandOver(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	to, err := parseHandOver(form.Get("handOver"))
	if err != nil || to == nil {
		return s.showUnowned(v, domain.Invalid(domain.LocationBody, "handOver", domain.HandOverSyntax))
	}
	id, err := uuid.Parse(form.Get("principal"))
	if err != nil {
		return nil, domain.NotFound("principal")
	}
	_, err = s.Administration.HandOverWork(v.Context(), v.Call, administration.WorkOwner{Tenant: form.Get("tenant"), PrincipalID: id}, *to)
	if err == nil {
		return web.SeeOther(web.Root + area + "/unowned"), nil
	}
	if rejection := web.Refusal(err); rejection != nil && rejection.Kind != domain.KindNotFound {
		return s.showUnowned(v, rejection)
	}
	return nil, err
}

// unownedText describes a piece of work.
func unownedText(ctx context.Context, w *domain.UnownedWork) string {
	switch w.Kind {
	case domain.UnownedTask:
		return ui.T(ctx, "Claimed task %s", w.Item)
	case domain.UnownedWaitingTask:
		return ui.T(ctx, "Waiting task %s, without an active candidate", w.Item)
	case domain.UnownedProcess:
		return ui.T(ctx, "Running process of an initiator")
	case domain.UnownedIncident:
	}
	return ui.T(ctx, "Assigned incident")
}

// ownerText names the inactive owner.
func ownerText(ctx context.Context, w *domain.UnownedWork) string {
	switch {
	case w.PrincipalID == nil:
		return ""
	case w.Disabled:
		return ui.T(ctx, "%s, disabled", w.Name)
	}
	return ui.T(ctx, "%s, who has left", w.Name)
}
