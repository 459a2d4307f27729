package processes

import (
	"cmp"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/conversation"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// messagesShown bounds the threads of a choice.
const messagesShown = 200

// Messages serves the messages and threads of a process.
func (s *Screens) Messages(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	return s.showMessages(v, id, conversation.Draft{}, nil)
}

// showMessages shows the messages of a process, with the text of a refused one.
func (s *Screens) showMessages(v *web.Visit, id uuid.UUID, draft conversation.Draft, rejection *domain.Error) (*web.Answer, error) {
	return s.showTab(v, id, "messages", rejection, func(of *processView) (templ.Component, error) {
		pane, err := conversation.Load(v, s.App, of.ProcessView, s.BaseURL)
		if err != nil {
			return nil, err
		}
		pane.Draft, pane.Path = draft, of.tabPath("messages")
		return conversation.View(pane), nil
	})
}

// Write writes a message into a process, or into one of its threads.
func (s *Screens) Write(v *web.Visit) (*web.Answer, error) {
	return s.addItem(v, app.NewItem{Type: domain.ItemMessage})
}

// OpenThread opens a thread in a process.
func (s *Screens) OpenThread(v *web.Visit) (*web.Answer, error) {
	return s.addItem(v, app.NewItem{Type: domain.ItemThread})
}

func (s *Screens) addItem(v *web.Visit, item app.NewItem) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	item.ProcessID, item.DefinitionCode = id, form.Get("definition")
	item.Text = strings.TrimSpace(strings.ReplaceAll(form.Get("text"), "\r\n", "\n"))
	draft := conversation.Draft{Text: item.Text}
	if into, err := uuid.Parse(form.Get("thread")); err == nil {
		item.ThreadID, draft.Thread = &into, into
	}
	item.ID = repeatableID(v.Call.PrincipalID, form.Get("once"), item)
	_, _, err = s.App.CreateProcessItem(v.Context(), v.Call, item)
	rejection := web.Refusal(err)
	if err != nil && rejection == nil {
		return nil, err
	}
	if beside := besideOfQuery(id, v.URL.Query()); beside.Part == besideMessages && v.Partial() {
		return s.showSent(v, beside, draft, rejection)
	}
	if rejection == nil {
		return web.SeeOther(web.LocalPath(cmp.Or(form.Get("return"), pathOf(id, "messages")))), nil
	}
	return s.showMessages(v, id, draft, rejection)
}

// showSent shows the messages next to a task after one was sent or, for a rejection, refused.
func (s *Screens) showSent(v *web.Visit, beside *Beside, draft conversation.Draft, rejection *domain.Error) (*web.Answer, error) {
	pane, err := s.besidePane(v, beside)
	if err != nil {
		return nil, err
	}
	if rejection != nil {
		pane.Draft, pane.Problem = draft, ui.Reason(v.Context(), rejection)
	}
	answer := &web.Answer{Raw: true, Body: conversation.View(pane)}
	return answer.Refused(rejection), nil
}

// besidePane returns the conversation of a process for the page of one of its tasks.
func (s *Screens) besidePane(v *web.Visit, beside *Beside) (*conversation.Pane, error) {
	of, err := s.App.RetrieveProcessView(v.Context(), v.Call, beside.Process)
	if err != nil {
		return nil, err
	}
	pane, err := conversation.Load(v, s.App, of, s.BaseURL)
	if err != nil {
		return nil, err
	}
	pane.Path, pane.Part = beside.pagePath(besideMessages), beside.partPath(besideMessages)
	return pane, nil
}

// repeatableID returns the id of an item that a user creates with a form that has a number, nil without one. The same form with the
// same text has the same id, so that sending it again has no effect.
func repeatableID(user uuid.UUID, number string, item app.NewItem) *uuid.UUID {
	space, err := uuid.Parse(number)
	if err != nil {
		return nil
	}
	var thread uuid.UUID
	if item.ThreadID != nil {
		thread = *item.ThreadID
	}
	id := uuid.NewSHA1(space, []byte(user.String()+item.ProcessID.String()+thread.String()+string(item.Type)+item.DefinitionCode+"\n"+item.Text))
	return &id
}
