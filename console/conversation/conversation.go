// Package conversation shows the messages and threads of a process, with the forms to write them, as a part of a page.
package conversation

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/commonmark"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// shown bounds the messages and threads of a page.
const shown = 200

// Draft is a text that was refused, in a thread or in none.
type Draft struct {
	Thread uuid.UUID
	Text   string
}

// Pane is the conversation of a process as a page shows it.
type Pane struct {
	*app.ProcessView

	// User is the viewer.
	User uuid.UUID
	// Path is the path of the page, to which the forms return.
	Path string
	// Part is the path of the conversation as a part of a page about something else, to which the script sends the forms too; "" on a
	// page of its own.
	Part string
	// Draft is kept in its form.
	Draft Draft
	// Problem is the reason why the draft was refused, "" if the page around tells it.
	Problem string

	threads []thread
	total   int64
	names   commonmark.Names
	// unread are the ids of the viewer's unread notifications by their messages.
	unread map[uuid.UUID]uuid.UUID
}

// thread is a thread of a process with its messages. Messages without a thread are in one without an id.
type thread struct {
	ID       uuid.UUID
	Name     string
	Author   string
	Messages []domain.ProcessPart
}

// Load reads the conversation of a process for the page of a visit. baseURL is the public address of the service, "" if it is unknown.
func Load(v *web.Visit, service *app.Service, of *app.ProcessView, baseURL string) (*Pane, error) {
	ctx := v.Context()
	found, err := service.FindProcessParts(ctx, v.Call, of.Whole.ID, []domain.ItemType{domain.ItemMessage, domain.ItemThread},
		domain.PageRequest{Size: shown}, []domain.SortKey{{Property: "createdAt", Descending: true}})
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(found.Items))
	for i := range found.Items {
		texts[i] = found.Items[i].Text
	}
	subjects, err := service.FindSubjects(ctx, v.Call, commonmark.ProcessLinks(texts...))
	if err != nil {
		return nil, err
	}
	news, err := service.FindNotifications(ctx, v.Call, app.NotificationFilter{ProcessIDs: []uuid.UUID{of.Whole.ID}, Unread: true},
		domain.PageRequest{Size: shown})
	if err != nil {
		return nil, err
	}
	unread := map[uuid.UUID]uuid.UUID{}
	for _, n := range news.Items {
		if n.ItemID != nil {
			unread[*n.ItemID] = n.ID
		}
	}
	return &Pane{
		unread: unread, ProcessView: of, User: v.Call.PrincipalID, Path: v.URL.RequestURI(), threads: threadsOf(ctx, found.Items), total: found.Total,
		names: commonmark.Names{Processes: subjects, Base: v.Address(baseURL)},
	}, nil
}

// threadsOf sorts the messages of a process, the newest first, into its threads, the oldest first.
func threadsOf(ctx context.Context, parts []domain.ProcessPart) []thread {
	general := thread{Name: ui.T(ctx, "Messages")}
	var threads []thread
	at := map[uuid.UUID]int{}
	for _, p := range slices.Backward(parts) {
		if p.Type == domain.ItemThread {
			at[p.ID] = len(threads)
			threads = append(threads, thread{ID: p.ID, Name: NameOf(ctx, p), Author: p.AuthorName})
		}
	}
	for _, p := range slices.Backward(parts) {
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

// NameOf returns the name of an item of a process.
func NameOf(ctx context.Context, p domain.ProcessPart) string {
	return cmp.Or(ui.NameOf(ctx, p.Name), ui.T(ctx, "Message"))
}

// canWrite reports whether messages can be written: the process offers that to managers for as long as it runs.
func (p *Pane) canWrite() bool { return p.MayManage && !p.Whole.Finished() }

// threadKinds returns the definitions of threads that the process has.
func (p *Pane) threadKinds() []domain.ItemDefinition {
	return slices.DeleteFunc(slices.Clone(p.Definition.Items), func(d domain.ItemDefinition) bool { return d.Type != domain.ItemThread })
}

// pathOf returns the path of a page of the process.
func (p *Pane) pathOf(page string) string {
	return web.Root + "processes/" + p.Whole.ID.String() + "/" + page
}

// attachPath returns the path of the form of a message with data in a thread, which has no id for the messages in none.
func (p *Pane) attachPath(code string, thread uuid.UUID) string {
	path := p.pathOf("messages/" + code)
	if thread != uuid.Nil {
		path += "?thread=" + thread.String()
	}
	return path
}

// filePath returns the path of a file that a message contains.
func (p *Pane) filePath(file ui.ReferredFile) string {
	return p.pathOf("document") + "?" + url.Values{"document": {file.URI}}.Encode()
}

// livePath returns the path that the script asks for the conversation after events.
func (p *Pane) livePath() string { return cmp.Or(p.Part, p.Path) }

// sendPath returns the path that messages are posted to.
func (p *Pane) sendPath() string {
	_, query, _ := strings.Cut(p.Part, "?")
	if query == "" {
		return p.pathOf("messages")
	}
	return p.pathOf("messages?" + query)
}

// draftOf returns the refused text of a thread.
func (p *Pane) draftOf(t thread) string {
	if t.ID != p.Draft.Thread {
		return ""
	}
	return p.Draft.Text
}

// textOf returns the text of a message as HTML.
func (p *Pane) textOf(m *domain.ProcessPart) (string, error) {
	names := p.names
	names.Mentions = mentionNames(m.Mentions)
	return commonmark.Render(m.Text, names)
}

// mentionNames returns the names of people by the keys that mention them. The part of an address that several people share is the
// key of none.
func mentionNames(people []domain.MentionedPerson) map[string]string {
	names, shared := map[string]string{}, map[string]int{}
	for _, m := range people {
		email := strings.ToLower(m.Email)
		local, _, _ := strings.Cut(email, "@")
		names[email] = m.Name
		names[local] = m.Name
		shared[local]++
	}
	maps.DeleteFunc(names, func(key, _ string) bool { return shared[key] > 1 })
	return names
}

// Structure is a data structure that messages of a process may carry, such as files.
type Structure struct{ Code, Name string }

// Structures returns the data structures of a definition, in the order of their names.
func Structures(ctx context.Context, d *domain.ProcessDefinition) []Structure {
	var list []Structure
	for _, code := range slices.Sorted(maps.Keys(d.Spec.DataStructures)) {
		title := cmp.Or(ui.MemberText(d.Spec.DataStructures[code], "title"), ui.Label(code))
		texts := d.StructureTexts(code, ui.ReaderOf(ctx))
		list = append(list, Structure{Code: code, Name: texts.Find(title, code+translation.SuffixName).Text})
	}
	return ui.SortedByText(ctx, list, func(s Structure) string { return s.Name })
}

// input returns the schema of the data of a message, none for a structure that the definition no longer has.
func (p *Pane) input(ctx context.Context, code string) form.Input {
	schema, exists := p.Definition.Spec.DataStructures[code]
	if !exists {
		return form.Input{}
	}
	return form.Input{Schema: schema, Texts: form.TextsOf(p.Definition.StructureTexts(code, ui.ReaderOf(ctx)))}
}
