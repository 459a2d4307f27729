package processes

import (
	"context"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// messagesShown bounds the messages and threads of a page.
const messagesShown = 200

// thread is a thread of a process with its messages. Messages without a thread are in one without an id.
type thread struct {
	ID       uuid.UUID
	Name     string
	Author   string
	Messages []domain.ProcessPart
}

// threadsOf sorts the messages of a process, the newest first, into its threads, the
// oldest first.
func threadsOf(ctx context.Context, parts []domain.ProcessPart) []thread {
	general := thread{Name: ui.T(ctx, "Messages")}
	var threads []thread
	at := map[uuid.UUID]int{}
	for i := len(parts) - 1; i >= 0; i-- {
		if p := &parts[i]; p.Type == domain.ItemThread {
			at[p.ID] = len(threads)
			threads = append(threads, thread{ID: p.ID, Name: partName(ctx, *p), Author: p.AuthorName})
		}
	}
	for i := len(parts) - 1; i >= 0; i-- {
		p := parts[i]
		if p.Type != domain.ItemMessage {
			continue
		}
		if p.ThreadID != nil {
			if n, exists := at[*p.ThreadID]; exists {
				threads[n].Messages = append(threads[n].Messages, p)
				continue
			}
		}
		general.Messages = append(general.Messages, p)
	}
	return append([]thread{general}, threads...)
}

// Messages serves the messages and threads of a process.
func (s *Screens) Messages(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("messages", func(of *processView) (templ.Component, error) {
		found, err := s.App.FindProcessParts(v.Context(), v.Call, of.Whole.ID, []domain.ItemType{domain.ItemMessage, domain.ItemThread},
			domain.PageRequest{Size: messagesShown}, []domain.SortKey{{Property: "createdAt", Descending: true}})
		return messages(of, threadsOf(v.Context(), found.Items), found.Total), err
	})(v)
}

// threadKinds returns the definitions of threads that a process has.
func (s *processView) threadKinds() []domain.ItemDefinition {
	var kinds []domain.ItemDefinition
	for _, d := range s.Definition.Items {
		if d.Type == domain.ItemThread {
			kinds = append(kinds, d)
		}
	}
	return kinds
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
	item.Text = strings.TrimSpace(form.Get("text"))
	if into, err := uuid.Parse(form.Get("thread")); err == nil {
		item.ThreadID = &into
	}
	_, _, err = s.App.CreateProcessItem(v.Context(), v.Call, item)
	return s.showResult(v, id, "messages", err)
}
