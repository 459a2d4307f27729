package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

// followInterval is how often new events are asked for.
const followInterval = time.Second

// eventFlags are the filters as they are typed.
type eventFlags struct {
	tenant, after, from, to                              string
	types, kinds, actors, processes, resources, requests []string
	limit                                                int
	oldestFirst, follow                                  bool
}

func newEventsCommand(env Environment) *cobra.Command {
	var flags eventFlags
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "events", Args: requireArgs(), Short: "List events: time, actor, action and resource",
		Long: "Lists the events of the tenants that you administer, the newest first: every change with the states before and\n" +
			"after, documents that were read, access that was issued. With --follow it shows the latest, the oldest of them first,\n" +
			"and then new ones until it is interrupted; -o json is one line for each then.",
		Example: "  procession events --process 01980000-0000-7000-8000-0000000000b1\n" +
			"  procession events --type DOCUMENT.DOWNLOADED --from 7d -o json\n" +
			"  procession events --type RESOURCE.CHANGED --from 7d\n" +
			"  procession events --follow --limit 10",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		params, err := flags.requestParams(env.Clock())
		if err != nil {
			return err
		}
		for _, actor := range flags.actors {
			id, err := s.findPrincipal(cmd.Context(), "--actor", actor, flags.tenant)
			if err != nil {
				return err
			}
			params.ActorID = append(params.ActorID, id)
		}
		if flags.follow {
			return s.followEvents(cmd, params, flags, out)
		}
		found, err := s.findEvents(cmd.Context(), params)
		if err != nil {
			return err
		}
		if len(found.Content) == 0 {
			if err := s.checkEmpty(cmd.Context(), "events", flags.tenant); err != nil {
				return err
			}
		}
		if len(found.Content) == 0 && out.isTable() {
			cmd.PrintErrln("no events")
			return nil
		}
		err = s.showEvents(cmd, out, flags.tenant, found.Content, false)
		if found.Next != nil && len(found.Content) == flags.limit {
			cmd.PrintErrf("There may be more: --after %s\n", *found.Next)
		}
		return err
	})
	flags.bindFlags(cmd)
	completeTenants(env, cmd)
	completeFlag(cmd, "type", completeEventTypes)
	out = bindOutput(cmd, formatTable, formatWide, formatJSON, formatYAML, formatJQ)
	cmd.AddCommand(newEventsShowCommand(env))
	return cmd
}

func (e *eventFlags) bindFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.tenant, "tenant", "", ofTenantHelp)
	defaultFromContext(f)
	f.StringSliceVar(&e.types, "type", nil, "only events of the `type`, such as PROCESS.STATE_CHANGED; repeatable")
	f.StringSliceVar(&e.actors, "actor", nil, "only events of a `user` or an application: its code, e-mail address or id; repeatable")
	f.StringSliceVar(&e.processes, "process", nil, "only events of the process with the `id`; repeatable")
	f.StringSliceVar(&e.kinds, "kind", nil, "only events of resources of the `kind`, such as DOCUMENT; repeatable")
	f.StringSliceVar(&e.resources, "resource", nil, "only events of the resource with the `id`; repeatable")
	f.StringSliceVar(&e.requests, "request", nil, "only events of the request with the `id`; repeatable")
	f.StringVar(&e.from, "from", "", "only from `when` on: a time such as 2027-01-31T08:00 or 2027-01-31T00:00:00Z, or how long ago, such as 90m or 7d")
	f.StringVar(&e.to, "to", "", "only before `when`")
	f.BoolVar(&e.oldestFirst, "oldest-first", false, "begin with the oldest")
	f.StringVar(&e.after, "after", "", "continue after a printed `cursor`, or that of an event")
	bindLimit(cmd, &e.limit, 50)
	f.BoolVar(&e.follow, "follow", false, "go on with new events")
}

// requestParams returns the parameters of the request.
func (e *eventFlags) requestParams(now time.Time) (oasadmin.FindEventsParams, error) {
	params := oasadmin.FindEventsParams{
		Tenant: filterOf(e.tenant), Type: e.types, ResourceKind: e.kinds, RequestID: e.requests,
		After: nonEmpty(e.after), Limit: e.limit,
	}
	if err := checkLimit(e.limit); err != nil {
		return params, err
	}
	if e.follow && (e.oldestFirst || e.to != "") {
		return params, usageError("--follow cannot be combined with --oldest-first or --to")
	}
	if e.oldestFirst {
		order := oasadmin.EventOrderOLDESTFIRST
		params.Order = &order
	}
	for flag, ids := range map[string]struct {
		texts []string
		to    *[]uuid.UUID
	}{
		"process":  {e.processes, &params.ProcessID},
		"resource": {e.resources, &params.ResourceID},
	} {
		for _, text := range ids.texts {
			id, err := parseID(text, "--"+flag)
			if err != nil {
				return params, err
			}
			*ids.to = append(*ids.to, id)
		}
	}
	var err error
	if params.From, err = Moment("from", e.from, now); err != nil {
		return params, err
	}
	params.To, err = Moment("to", e.to, now)
	return params, err
}

// Moment parses the value of a flag: a time in RFC 3339, a date or a time without a zone in the zone of now, or a duration before now
// such as 90m or 7d. It returns nil for an empty text. Its errors have ExitUsage.
func Moment(flag, text string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there need not be one
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return &at, nil
	}
	for _, layout := range []string{"2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return &at, nil
		}
	}
	ago, err := parseDuration(text)
	if err != nil || ago < 0 {
		return nil, usageError("--%s must be a time such as 2027-01-31T08:00 or 2027-01-31T00:00:00Z, or how long ago, such as 90m or 7d", flag)
	}
	at := now.Add(-ago)
	return &at, nil
}

func (s *service) findEvents(ctx context.Context, params oasadmin.FindEventsParams) (oasadmin.EventList, error) {
	answer, err := s.FindEvents(ctx, &params)
	return receive[oasadmin.EventList](s, answer, err)
}

// followEvents shows the latest events, or those behind the cursor that was
// given, and then new ones until it is interrupted.
func (s *service) followEvents(cmd *cobra.Command, params oasadmin.FindEventsParams, flags eventFlags, out *output) error {
	ctx := cmd.Context()
	titled := false
	show := func(events []oasadmin.Event) error {
		if len(events) == 0 && titled {
			return nil
		}
		continued := titled
		titled = true
		return s.showEvents(cmd, out, flags.tenant, events, continued)
	}
	if !out.isTable() {
		show = func(events []oasadmin.Event) error { return writeLines(cmd, out, events) }
	}
	oldestFirst := oasadmin.EventOrderOLDESTFIRST
	if flags.after == "" {
		latest, err := s.findEvents(ctx, params)
		if err != nil {
			return err
		}
		slices.Reverse(latest.Content)
		if err := show(latest.Content); err != nil {
			return err
		}
		params.After = new("0.0.0")
		if n := len(latest.Content); n > 0 {
			params.After = &latest.Content[n-1].Cursor
		}
	}
	params.Order = &oldestFirst
	return pollUntil(ctx, func() (bool, error) {
		for {
			found, err := s.findEvents(ctx, params)
			if err != nil {
				return false, err
			}
			params.After = found.Next
			if err := show(found.Content); err != nil || len(found.Content) < flags.limit {
				return false, err
			}
		}
	})
}

// showEvents writes events, which continue a table or begin one.
func (s *service) showEvents(cmd *cobra.Command, out *output, tenant string, events []oasadmin.Event, continued bool) error {
	if !out.isTable() {
		return out.write(cmd.Context(), cmd.OutOrStdout(), events, nil)
	}
	people, err := s.findPeople(cmd.Context(), tenant)
	if err != nil {
		return err
	}
	return out.writeTable(cmd.OutOrStdout(), view{people: people, untitled: continued}, func(v view) { eventTable(v, events) })
}

func eventTable(v view, events []oasadmin.Event) {
	v.writeTitles([]string{"TIME", "TYPE", "KIND", "RESOURCE", "STATE", "ACTOR"}, "REQUEST", "ACTOR ID", "PROCESS ID", "RESOURCE ID")
	for _, e := range events {
		v.writeLine([]string{
			timeText(e.OccurredAt), e.Type, e.ResourceKind, v.subjectName(e), statesOf(e), v.personName(&e.ActorID),
		}, textOf(e.RequestID), e.ActorID.String(), idText(e.ProcessID), e.ResourceID.String())
	}
}

// subjectName names the resource of an event: by its code or the principal's name, where
// one is known, else by its id.
func (v view) subjectName(e oasadmin.Event) string {
	if code := e.Details["code"]; code != "" {
		return code
	}
	return v.personName(&e.ResourceID)
}

// statesOf returns the change of the resource's state, or its state.
func statesOf(e oasadmin.Event) string {
	return strings.TrimPrefix(textOf(e.PreviousState)+" > "+textOf(e.State), " > ")
}

// textOf returns a text that may be missing.
func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
