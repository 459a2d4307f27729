package health

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const area = "health"

// Screens are the screens of health.
type Screens struct {
	Administration *administration.Service
}

// healthView is the content of the page.
type healthView struct {
	administration.Health

	// Tenant is the code of the selected tenant, "" for all.
	Tenant string
	// Tenants reports whether there may be several.
	Tenants bool
	// Operator reports whether the checks are shown.
	Operator bool
}

// Show shows the pending work of the user's tenants. A second request loads the checks, which take seconds if
// PostgreSQL, Temporal or an issuer does not respond.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	page := healthView{
		Tenant: strings.TrimSpace(v.URL.Query().Get("tenant")), Tenants: web.SeveralTenants(v.Call.Caller), Operator: v.Call.Operator,
	}
	var err error
	if page.Health, err = s.Administration.RetrieveHealth(v.Context(), v.Call, web.TenantCodes(page.Tenant)); err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Health"), Area: area, Body: healthPage(page)}, nil
}

// Checks shows the results of the checks: to the script as a part of the page, otherwise as a page.
func (s *Screens) Checks(v *web.Visit) (*web.Answer, error) {
	examined, err := s.Administration.ExamineHealth(v.Context(), v.Call)
	if err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Body: findings(examined), Raw: true}, nil
	}
	return &web.Answer{Title: ui.T(v.Context(), "Checks"), Area: area, Body: checksPage(examined)}, nil
}

// figure is a number of the page and where it leads.
type figure struct {
	Icon, Text, About, Path string
	Count                   int64
	Since                   time.Time
	// Bad figures need something to be done unless they are zero.
	Bad bool
}

func figuresOf(ctx context.Context, s healthView) []figure {
	about := func(path string) string {
		if s.Tenant == "" {
			return web.Root + path
		}
		return web.Root + path + "?" + url.Values{"tenant": {s.Tenant}}.Encode()
	}
	return []figure{
		{
			Icon: "alert-triangle", Text: ui.T(ctx, "Open incidents"), Count: s.OpenIncidents, Bad: true, Path: about("incidents"),
			About: ui.T(ctx, "Failed workflows to retry or dismiss."),
		},
		{
			Icon: "send", Text: ui.T(ctx, "Commands for Temporal"), Count: s.Commands, Since: s.CommandsDueSince, Path: about("queues"),
			About: ui.T(ctx, "Starts, signals and cancellations of workflows that are due. They wait while Temporal is unavailable."),
		},
		{
			Icon: "webhook", Text: ui.T(ctx, "Webhook deliveries"), Count: s.Deliveries, Since: s.DeliveriesSince, Path: about("webhooks"),
			About: ui.T(ctx, "Deliveries that wait for their first attempt."),
		},
		{
			Icon: "refresh", Text: ui.T(ctx, "Retried deliveries"), Count: s.RetriedDeliveries, Path: about("webhooks"),
			About: ui.T(ctx, "Failed deliveries that are retried."),
		},
		{
			Icon: "ban", Text: ui.T(ctx, "Disabled endpoints"), Count: s.DisabledEndpoints, Bad: true, Path: about("webhooks"),
			About: ui.T(ctx, "They receive no events until they are enabled."),
		},
		{
			Icon: "route", Text: ui.T(ctx, "Overdue scans"), Count: s.OverdueLooks, Bad: true,
			About: ui.T(ctx, "Namespaces without a scan for ended workflows for more than a minute."),
		},
	}
}

// sortedVerdicts returns the verdicts in the order in which the checks are shown.
func sortedVerdicts() []domain.Verdict {
	return []domain.Verdict{domain.VerdictFail, domain.VerdictWarn, domain.VerdictSkipped, domain.VerdictOK}
}

// sortFindings returns the failing checks, the worst first, and the passing ones.
func sortFindings(findings []domain.Finding) (open, passed []domain.Finding) {
	sorted, verdicts := slices.Clone(findings), sortedVerdicts()
	slices.SortStableFunc(sorted, func(a, b domain.Finding) int {
		return cmp.Compare(slices.Index(verdicts, a.Verdict), slices.Index(verdicts, b.Verdict))
	})
	at := slices.IndexFunc(sorted, func(f domain.Finding) bool { return f.Verdict == domain.VerdictOK })
	if at < 0 {
		return sorted, nil
	}
	return sorted[:at], sorted[at:]
}

// summaryText returns how the checks came out.
func summaryText(ctx context.Context, findings []domain.Finding) string {
	fails, warns := 0, 0
	for _, f := range findings {
		switch f.Verdict {
		case domain.VerdictFail:
			fails++
		case domain.VerdictWarn:
			warns++
		case domain.VerdictOK, domain.VerdictSkipped:
		}
	}
	switch {
	case fails > 0:
		return ui.T(ctx, "%d of %d checks fail.", fails, len(findings))
	case warns > 0:
		return ui.T(ctx, "No check fails; %d of %d warn.", warns, len(findings))
	}
	return ui.T(ctx, "All %d checks pass.", len(findings))
}
