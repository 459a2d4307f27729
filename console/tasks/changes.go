package tasks

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// standing is the state of a task with its owner, as the page of the task shows it.
func (o *openTask) standing() string {
	if o.Item.OwnerID == nil {
		return string(o.State)
	}
	return string(o.State) + " " + o.Item.OwnerID.String()
}

// changesPath returns the URL that tells the script of the page of a task whether the task has changed.
func changesPath(l *listView) string {
	q := l.And("seen", l.Open.standing())
	if l.Open.Editing {
		q = q.And("edit", "anyway")
	}
	return q.Path("tasks/" + l.Open.ID.String() + "/changes")
}

// Changes shows a task again if another person has changed its state or its owner since the page was made. It costs one read if
// there is no change.
func (s *Screens) Changes(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	query := v.URL.Query()
	l := &listView{Query: parseQuery(query)}
	l.View = domain.InboxView(l.Get("view"))
	found, err := s.App.OpenTask(v.Context(), v.Call, id)
	if rejection, isRefusal := errors.AsType[*domain.Error](err); isRefusal && rejection.Kind == domain.KindNotFound {
		answer := &web.Answer{Raw: true, Body: lostTask(l, id)}
		return answer.Refused(rejection), nil
	}
	if err != nil {
		return nil, err
	}
	l.Open = &openTask{OpenedTask: found, User: v.Call.PrincipalID, Editing: query.Has("edit")}
	if l.Open.standing() == query.Get("seen") {
		return web.NoContent(), nil
	}
	if l.Open.Change, err = s.App.FindTaskChange(v.Context(), v.Call, id); err != nil {
		return nil, err
	}
	return &web.Answer{Raw: true, Body: taskArticle(l)}, s.loadTask(v, l, query, nil)
}

// changeText describes the last change of a task to the viewer.
func (o *openTask) changeText(ctx context.Context) string {
	c := o.Change
	if c.ActorID == o.User {
		return ui.T(ctx, o.ownChangeText())
	}
	actor := cmp.Or(c.ActorName, "Procession")
	switch o.State {
	case domain.TaskReady:
		return ui.T(ctx, "%s has released this task.", actor)
	case domain.TaskCompleted:
		return ui.T(ctx, "%s has completed this task.", actor)
	case domain.TaskCancelled:
		return ui.T(ctx, "%s has cancelled this task.", actor)
	case domain.TaskClaimed:
	}
	switch {
	case o.isMine():
		return ui.T(ctx, "%s has given this task to you.", actor)
	case o.isOwnedBy(c.ActorID):
		return ui.T(ctx, "%s has claimed this task.", actor)
	}
	return ui.T(ctx, "%s has given this task to %s.", actor, o.OwnerName)
}

func (o *openTask) isOwnedBy(person uuid.UUID) bool {
	return o.Item.OwnerID != nil && *o.Item.OwnerID == person
}

// ownChangeText returns the text of a change by the viewer.
func (o *openTask) ownChangeText() string {
	switch o.State {
	case domain.TaskReady:
		return ui.Text("You released this task in another window.")
	case domain.TaskCompleted:
		return ui.Text("You completed this task in another window.")
	case domain.TaskClaimed, domain.TaskCancelled:
	}
	if o.isMine() {
		return ui.Text("You claimed this task in another window.")
	}
	return ui.Text("You changed this task in another window.")
}
