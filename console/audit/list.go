package audit

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

// pageSize is how many records a page of the list has.
const pageSize = 50

const (
	area = "audit"
	// inputTime is how inputs of times send them.
	inputTime = "2006-01-02T15:04"
)

// Screens are the screens of the ledger.
type Screens struct {
	Administration *administration.Administration
}

// question contains what a visitor asks the ledger for: the texts of the query of its URL.
type question struct {
	Who, What, Kind, About, Tenant, From, To string
	// After is the cursor of the record that the page begins behind, "" for the newest.
	After string
}

func asked(query url.Values) question {
	text := func(name string) string { return strings.TrimSpace(query.Get(name)) }
	return question{
		Who: text("who"), What: text("what"), Kind: text("kind"), About: text("about"), Tenant: text("tenant"), From: text("from"), To: text("to"),
		After: text("after"),
	}
}

// path returns the URL of the list, or of an export under another name.
func (q question) path(name string) string {
	query := url.Values{}
	for name, value := range map[string]string{
		"who": q.Who, "what": q.What, "kind": q.Kind, "about": q.About, "tenant": q.Tenant, "from": q.From, "to": q.To, "after": q.After,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return web.Root + name
	}
	return web.Root + name + "?" + query.Encode()
}

func (q question) after(cursor string) question { q.After = cursor; return q }

func (q question) narrowed() bool { return q.after("") != question{} }

// filter returns what the operations call the question. What cannot be read is a
// VALIDATION error.
func (q question) filter(ctx context.Context) (administration.EventFilter, error) {
	f := administration.EventFilter{TenantCodes: web.TenantCodes(q.Tenant)}
	if id, err := uuid.Parse(q.Who); err == nil {
		f.ActorIDs = []uuid.UUID{id}
	} else {
		f.Actor = q.Who
	}
	if q.What != "" {
		f.Types = []domain.EventType{domain.EventType(strings.ToUpper(q.What))}
	}
	if q.Kind != "" {
		f.ResourceKinds = []domain.EventResource{domain.EventResource(q.Kind)}
	}
	if id, err := uuid.Parse(q.About); err == nil {
		f.Concerning = &id
	} else if q.About != "" {
		return f, domain.Invalid(domain.LocationQuery, "about", "is not an id")
	}
	var err error
	if f.From, err = momentOf(ctx, "from", q.From); err != nil {
		return f, err
	}
	f.To, err = momentOf(ctx, "to", q.To)
	return f, err
}

// momentOf reads a time in the zone of the viewer, nil for none.
func momentOf(ctx context.Context, name, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there need not be one
	}
	at, err := time.ParseInLocation(inputTime, text, ui.ViewerOf(ctx).Zone)
	if err != nil {
		return nil, domain.Invalid(domain.LocationQuery, name, "is not a time such as 2027-01-31T08:00")
	}
	return &at, nil
}

// command returns the command that lists the same.
func (q question) command(ctx context.Context) shell.Line {
	words := []string{"procession", "events"}
	f, err := q.filter(ctx)
	if err != nil {
		return shell.Command(words...)
	}
	for _, eventType := range f.Types {
		words = append(words, "--type", string(eventType))
	}
	for _, kind := range f.ResourceKinds {
		words = append(words, "--kind", string(kind))
	}
	for _, id := range f.ActorIDs {
		words = append(words, "--actor", id.String())
	}
	if f.Concerning != nil {
		words = append(words, "--resource", f.Concerning.String())
	}
	if q.Tenant != "" {
		words = append(words, "--tenant", q.Tenant)
	}
	if f.From != nil {
		words = append(words, "--from", f.From.UTC().Format(time.RFC3339))
	}
	if f.To != nil {
		words = append(words, "--to", f.To.UTC().Format(time.RFC3339))
	}
	return shell.Command(words...)
}

// listed is the content of the list.
type listed struct {
	question

	Records []domain.AuditRecord
	Tenants bool
}

// List shows the records of the tenants that the user administers, the newest first.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	q := asked(v.URL.Query())
	filter, err := q.filter(v.Context())
	if err != nil {
		return nil, err
	}
	part := administration.EventRange{NewestFirst: true, Limit: pageSize}
	if after, err := domain.ParseEventCursor(q.After); err == nil {
		part.After = &after
	}
	records, err := s.Administration.FindAuditRecords(v.Context(), v.Caller, filter, part)
	if err != nil {
		return nil, err
	}
	l := listed{q, records, web.SeveralTenants(v.Caller)}
	return &web.Answer{Title: ui.T(v.Context(), "Audit"), Area: area, Body: listPage(l)}, nil
}

// Show shows a record.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.Administration.FindAuditRecords(v.Context(), v.Caller, administration.EventFilter{IDs: []uuid.UUID{id}},
		administration.EventRange{NewestFirst: true, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, domain.NotFound("event")
	}
	return &web.Answer{Title: string(found[0].Type), Area: area, Body: recordPage(&found[0])}, nil
}
