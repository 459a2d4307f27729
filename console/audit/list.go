package audit

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

// pageSize is the number of records on a page of the list.
const pageSize = 50

const (
	area = "audit"
	// inputTime is the format of time inputs.
	inputTime = "2006-01-02T15:04"
)

// Screens are the screens of the event log.
type Screens struct {
	Administration *administration.Service
}

// filterNames are the parameters of the list.
func filterNames() []string { return []string{"who", "what", "kind", "about", "tenant", "from", "to"} }

// listView contains a page of the list.
type listView struct {
	web.Query

	Records []domain.AuditRecord
	// SeveralTenants reports whether the user administers several tenants.
	SeveralTenants bool
}

// exportPath returns the URL of a file with all records that match the filters.
func (l *listView) exportPath(name string) string { return l.Only(filterNames()...).Path(name) }

// parseFilter returns the filter of a query. A value that cannot be parsed is a VALIDATION error.
func parseFilter(ctx context.Context, q web.Query) (administration.EventFilter, error) {
	text := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	f := administration.EventFilter{TenantCodes: web.TenantCodes(text("tenant"))}
	if id, err := uuid.Parse(text("who")); err == nil {
		f.ActorIDs = []uuid.UUID{id}
	} else {
		f.Actor = text("who")
	}
	if eventType := text("what"); eventType != "" {
		f.Types = []domain.EventType{domain.EventType(strings.ToUpper(eventType))}
	}
	if kind := text("kind"); kind != "" {
		f.ResourceKinds = []domain.EventResource{domain.EventResource(kind)}
	}
	if id, err := uuid.Parse(text("about")); err == nil {
		f.Concerning = &id
	} else if text("about") != "" {
		return f, domain.Invalid(domain.LocationQuery, "about", "is not an id")
	}
	var err error
	if f.From, err = parseTime(ctx, "from", text("from")); err != nil {
		return f, err
	}
	f.To, err = parseTime(ctx, "to", text("to"))
	return f, err
}

// parseTime returns a time in the zone of the viewer, nil for "".
func parseTime(ctx context.Context, name, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there need not be one
	}
	at, err := time.ParseInLocation(inputTime, text, ui.ViewerOf(ctx).Zone)
	if err != nil {
		return nil, domain.Invalid(domain.LocationQuery, name, "is not a time such as 2027-01-31T08:00")
	}
	return &at, nil
}

// listCommand returns the command that lists the same records.
func listCommand(ctx context.Context, q web.Query) shell.Line {
	words := []string{"procession", "events"}
	f, err := parseFilter(ctx, q)
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
	for _, code := range f.TenantCodes {
		words = append(words, "--tenant", code)
	}
	if f.From != nil {
		words = append(words, "--from", f.From.UTC().Format(time.RFC3339))
	}
	if f.To != nil {
		words = append(words, "--to", f.To.UTC().Format(time.RFC3339))
	}
	return shell.Command(words...)
}

// List shows the records of the tenants that the user administers, the newest first.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	q := v.Query(append(filterNames(), "after")...)
	filter, err := parseFilter(v.Context(), q)
	if err != nil {
		return nil, err
	}
	part := administration.EventRange{NewestFirst: true, Limit: pageSize}
	if after, err := domain.ParseEventCursor(q.Get("after")); err == nil {
		part.After = &after
	}
	records, err := s.Administration.FindAuditRecords(v.Context(), v.Call, filter, part)
	if err != nil {
		return nil, err
	}
	l := &listView{q, records, web.SeveralTenants(v.Call.Caller)}
	return &web.Answer{Title: ui.T(v.Context(), "Audit"), Area: area, Body: listPage(l)}, nil
}

// Show shows a record.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.Administration.RetrieveEvent(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	r := &recordView{AuditRecord: found.AuditRecord, IsChange: strings.HasPrefix(string(found.Type), "RESOURCE.")}
	if r.Parts, err = resources.CompareManifests(found.Before, found.After); err != nil {
		return nil, err
	}
	return &web.Answer{Title: eventSentence(v.Context(), &r.AuditRecord), Area: area, Body: recordPage(r)}, nil
}

// recordView contains a record with the differences of the manifests.
type recordView struct {
	domain.AuditRecord

	// IsChange reports whether the record is about a change of a manifest.
	IsChange bool
	Parts    []resources.Part
}
