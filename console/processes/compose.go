package processes

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/conversation"
	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form"
)

// The names of the values of a message with data.
const (
	partText   = "text"
	partThread = "thread"
	partData   = "data"
)

// MessageForms returns the forms of messages with data.
func (s *Screens) MessageForms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) {
			id, err := v.ID()
			if err != nil {
				return nil, err
			}
			found, err := s.App.RetrieveProcessView(v.Context(), v.Call, id)
			if err != nil {
				return nil, err
			}
			return s.parseMessage(v, &processView{ProcessView: found})
		},
		Show: func(v *web.Visit, body templ.Component) (*web.Answer, error) {
			return s.tabHandler("messages", func(of *processView) (templ.Component, error) {
				store, err := s.parseMessage(v, of)
				if err != nil {
					return nil, err
				}
				return compose(of, store.structure.Name, body), nil
			})(v)
		},
	}
}

// Compose shows the form of a message with data.
func (s *Screens) Compose(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("messages", func(of *processView) (templ.Component, error) {
		store, err := s.parseMessage(v, of)
		if err != nil {
			return nil, err
		}
		body, err := s.MessageForms().View(v.Context(), store)
		return compose(of, store.structure.Name, body), err
	})(v)
}

// messageDraft is a message with data to be written, by one user.
type messageDraft struct {
	finders.Finder
	forms.Values

	process   uuid.UUID
	structure conversation.Structure
}

// parseMessage returns the empty form of the data structure in the path.
func (s *Screens) parseMessage(v *web.Visit, of *processView) (*messageDraft, error) {
	if !of.MayManage {
		return nil, domain.Denied("only managers of the process may write messages")
	}
	if of.Whole.Finished() {
		return nil, domain.ProcessFinished()
	}
	ctx := v.Context()
	structures := conversation.Structures(ctx, of.Definition)
	at := slices.IndexFunc(structures, func(s conversation.Structure) bool { return s.Code == v.Param("code") })
	if at < 0 {
		return nil, domain.NotFound("page")
	}
	f := &messageDraft{Finder: finders.Finder{App: s.App, Call: v.Call, Tenant: of.Whole.TenantID}, process: of.Whole.ID, structure: structures[at]}
	text, err := json.Marshal(map[string]any{"type": "string", "title": ui.T(ctx, "Message")})
	if err != nil {
		return nil, err
	}
	f.Values = forms.Values{{
		Name: partText, Schema: text, UISchema: json.RawMessage(`{"type":"Control","scope":"#","options":{"multi":true}}`),
	}}
	thread, err := s.threadPart(v, of)
	if err != nil {
		return nil, err
	}
	if thread != nil {
		f.Values = append(f.Values, *thread)
	}
	f.Values = append(f.Values, form.Part{
		Name: partData, Schema: of.Definition.Spec.DataStructures[f.structure.Code],
		Texts: of.Definition.StructureTexts(f.structure.Code, ui.ReaderOf(ctx)),
	})
	return f, nil
}

// threadPart returns the choice of the thread of a message, nil where there is no thread.
func (s *Screens) threadPart(v *web.Visit, of *processView) (*form.Part, error) {
	found, err := s.App.FindProcessParts(v.Context(), v.Call, of.Whole.ID, []domain.ItemType{domain.ItemThread},
		domain.PageRequest{Size: messagesShown}, nil)
	if err != nil || len(found.Items) == 0 {
		return nil, err
	}
	part := form.Part{Name: partThread}
	var options []map[string]string
	for _, t := range found.Items {
		options = append(options, map[string]string{"const": t.ID.String(), "title": conversation.NameOf(v.Context(), t)})
		if t.ID.String() == v.URL.Query().Get("thread") {
			part.Value = json.RawMessage(`"` + t.ID.String() + `"`)
		}
	}
	part.Schema, err = json.Marshal(map[string]any{"type": "string", "title": ui.T(v.Context(), "Thread"), "oneOf": options})
	return &part, err
}

// Load implements forms.Store.
func (f *messageDraft) Load(ctx context.Context) (*forms.Document, error) {
	doc := &forms.Document{
		Path: pathOf(f.process, "messages/"+f.structure.Code), CompleteLabel: ui.T(ctx, "Send"), CompleteAnywayLabel: ui.T(ctx, "Send anyway"),
	}
	return doc, f.Put(doc)
}

// Send implements forms.Draft: it writes the message.
func (f *messageDraft) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	in := app.NewItem{
		ID: &sent.ID, Type: domain.ItemMessage, ProcessID: f.process, DataCode: f.structure.Code,
		MessageData: f.Value(sent.Value, partData),
	}
	if in.MessageData == nil {
		in.MessageData = json.RawMessage("{}")
	}
	// Check has refused values that are not strings.
	_ = json.Unmarshal(f.Value(sent.Value, partText), &in.Text)
	in.Text = strings.TrimSpace(in.Text)
	var thread uuid.UUID
	if json.Unmarshal(f.Value(sent.Value, partThread), &thread) == nil {
		in.ThreadID = &thread
	}
	_, _, err := f.App.CreateProcessItem(ctx, f.Call, in)
	return pathOf(f.process, "messages"), f.RelocateError(err, map[domain.Field]string{
		domain.FieldItemThread: partThread, domain.FieldMessageData: partData,
	})
}

// Upload implements forms.Store.
func (f *messageDraft) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	return storeUpload(ctx, f.Finder, f.process, control, file)
}
