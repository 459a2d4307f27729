package cli

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

const causeHelp = "also the other open incidents of the same cause"

func newIncidentsAckCommand(env Environment) *cobra.Command {
	var cause bool
	cmd := newIncidentCommand(env, "ack", "Record that you have taken notice of an incident",
		func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
			return s.AcknowledgeIncident(ctx, id, oasadmin.IncidentScope{Cause: &cause})
		})
	cmd.Flags().BoolVar(&cause, "cause", false, causeHelp)
	return cmd
}

func newIncidentsMuteCommand(env Environment) *cobra.Command {
	var cause bool
	var duration time.Duration
	var until string
	cmd := newIncidentCommand(env, "mute", "Send no notifications of an incident for a time",
		func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
			end := time.Now().Add(duration).Truncate(time.Second) //nolint:forbidigo // the clock of the command
			if until != "" {
				parsed, err := time.Parse(time.RFC3339, until)
				if err != nil {
					return nil, usageError("--until %q is not a time, such as 2026-03-02T18:00:00Z", until)
				}
				end = parsed
			}
			return s.MuteIncident(ctx, id, oasadmin.IncidentMute{Until: end, Cause: &cause})
		})
	cmd.Flags().DurationVar(&duration, "for", 24*time.Hour, "how long, at most 8784h; --until takes precedence")
	cmd.Flags().StringVar(&until, "until", "", "the end, as a `time` of RFC 3339")
	cmd.Flags().BoolVar(&cause, "cause", false, causeHelp+", and those that open until then")
	return cmd
}

func newIncidentsUnmuteCommand(env Environment) *cobra.Command {
	var cause bool
	cmd := newIncidentCommand(env, "unmute", "End the mute of an incident",
		func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
			return s.UnmuteIncident(ctx, id, oasadmin.IncidentScope{Cause: &cause})
		})
	cmd.Flags().BoolVar(&cause, "cause", false, causeHelp)
	return cmd
}

func newIncidentsAssignCommand(env Environment) *cobra.Command {
	var cause bool
	var to string
	cmd := newIncidentCommand(env, "assign", "Assign an incident to a person",
		func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
			body := oasadmin.IncidentAssignment{Cause: &cause}
			var err error
			switch to {
			case "nobody":
			case "me":
				body.AssigneeID, err = ownID(ctx, s)
			default:
				body.AssigneeEmail = &to
			}
			if err != nil {
				return nil, err
			}
			return s.AssignIncident(ctx, id, body)
		})
	cmd.Flags().StringVar(&to, "to", "me", "the `e-mail` of an owner or administrator of the tenant, me or nobody")
	cmd.Flags().BoolVar(&cause, "cause", false, causeHelp)
	return cmd
}

// ownID returns the id of the caller.
func ownID(ctx context.Context, s *service) (*uuid.UUID, error) {
	answer, err := s.RetrieveIdentity(ctx)
	identity, err := receive[oasadmin.Identity](s, answer, err)
	return &identity.Principal.ID, err
}

func newIncidentsCommentCommand(env Environment) *cobra.Command {
	return newServiceCommand(env, &cobra.Command{
		Use: "comment ID TEXT", Short: "Comment on an incident", Args: requireArgs("the id of an incident", "the text"),
		ValidArgsFunction: completeIncident(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id of the incident")
		if err != nil {
			return err
		}
		answer, err := s.CommentIncident(cmd.Context(), id, oasadmin.IncidentCommentText{Text: args[1]})
		if _, err = receive[oasadmin.IncidentComment](s, answer, err); err != nil {
			return notFound(err, "incident "+id.String())
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s commented\n", id)
		return err
	})
}

// incidentFilters are the flags that narrow a list of incidents.
type incidentFilters struct {
	all, group, muted, acknowledged                bool
	process, kind, search, assignee, worker, cause string
}

func (f *incidentFilters) bindFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.all, "all", false, "also retried, dismissed and resolved ones")
	cmd.Flags().StringVar(&f.process, "process", "", "only incidents of the process with the `id`")
	cmd.Flags().BoolVar(&f.group, "group", false, "list the causes of open incidents with their numbers")
	cmd.Flags().StringVar(&f.kind, "kind", "", "only incidents of the `kind` FAILURE, WORKFLOW_TASK, ACTIVITY or NO_WAIT")
	cmd.Flags().StringVar(&f.search, "search", "", "only incidents with the `text` in message, workflow or name of the definition, or with the id")
	cmd.Flags().StringVar(&f.assignee, "assignee", "", "only incidents that are assigned to me, to nobody, or to the person with the `id`")
	cmd.Flags().BoolVar(&f.acknowledged, "acknowledged", false, "only incidents that are acknowledged, or with =false are not")
	cmd.Flags().BoolVar(&f.muted, "muted", false, "only incidents that are muted, or with =false are not")
	cmd.Flags().StringVar(&f.worker, "worker", "", "only incidents of workers with the `build id`")
	cmd.Flags().StringVar(&f.cause, "cause", "", "only incidents of the `cause` in the list of --group")
}

// params returns the parameters of the list.
func (f *incidentFilters) params(cmd *cobra.Command, s *service, by listFlags) (*oasadmin.FindIncidentsParams, error) {
	if f.group && (f.all || f.process != "" || f.cause != "") {
		return nil, usageError("--group lists causes of open incidents, without --all, --process and --cause")
	}
	p := &oasadmin.FindIncidentsParams{
		Size: &by.limit, Tenant: filterOf(by.tenant), Search: textFilter(f.search), Worker: textFilter(f.worker), Cause: textFilter(f.cause),
	}
	if !f.all {
		p.State = []oasadmin.IncidentState{oasadmin.IncidentStateOPEN}
	}
	if f.kind != "" {
		p.Kind = []oasadmin.IncidentKind{oasadmin.IncidentKind(f.kind)}
	}
	if cmd.Flags().Changed("acknowledged") {
		p.Acknowledged = &f.acknowledged
	}
	if cmd.Flags().Changed("muted") {
		p.Muted = &f.muted
	}
	var err error
	if p.ProcessID, err = idFilter("process", f.process); err != nil {
		return nil, err
	}
	switch f.assignee {
	case "":
	case "nobody":
		p.Assigned = new(false)
	case "me":
		p.AssigneeID, err = ownID(cmd.Context(), s)
	default:
		var id uuid.UUID
		id, err = parseID(f.assignee, "the assignee")
		p.AssigneeID = &id
	}
	return p, err
}

func textFilter(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func optionalTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return timeText(*t)
}
