package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/api/admin/client"
	"github.com/procession-dev/procession/domain"
)

func newIncidentsCommand(env Environment) *cobra.Command {
	return group("incidents", "Look at failed workflows and deal with them",
		newIncidentsListCommand(env),
		newIncidentCommand(env, "retry", "Start the failed workflow of a process again",
			func(ctx context.Context, s *service, id uuid.UUID) (reply, error) {
				return s.RetryIncidentWithResponse(ctx, id)
			}),
		newIncidentCommand(env, "dismiss", "Mark an incident as dealt with",
			func(ctx context.Context, s *service, id uuid.UUID) (reply, error) {
				return s.DismissIncidentWithResponse(ctx, id)
			}),
	)
}

func newIncidentsListCommand(env Environment) *cobra.Command {
	var all bool
	var limit int
	var tenant, process string
	var out *output
	cmd := asking(env, &cobra.Command{
		Use: "list", Args: exactly(), Short: "List incidents, the newest first",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		if limit < 1 || limit > pageSize {
			return misuse("--limit must be 1 to %d", pageSize)
		}
		params := client.FindIncidentsParams{Size: &limit, Tenant: filter(tenant)}
		if !all {
			params.State = []client.IncidentState{client.IncidentStateOPEN}
		}
		if process != "" {
			id, err := uuid.Parse(process)
			if err != nil {
				return misuse("--process: %w", err)
			}
			params.ProcessID = []uuid.UUID{id}
		}
		answer, err := s.FindIncidentsWithResponse(cmd.Context(), &params)
		page, err := read[client.IncidentPage](s, answer, err)
		if err != nil {
			return err
		}
		if len(page.Content) == 0 && out.format == formatTable {
			cmd.PrintErrln("no incidents")
			return nil
		}
		if shown := int64(len(page.Content)); shown < page.Metadata.TotalElements {
			defer cmd.PrintErrf("%d of %d shown: --limit\n", shown, page.Metadata.TotalElements)
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), page.Content, func(w io.Writer) { incidentTable(w, page.Content) })
	})
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "also those that were retried or dismissed")
	f.IntVar(&limit, "limit", 50, "how `many` to show, at most 1000")
	f.StringVar(&tenant, "tenant", "", "only those of the tenant with the `code`")
	f.StringVar(&process, "process", "", "only those of the process with the `id`")
	completeTenants(env, cmd)
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func incidentTable(w io.Writer, incidents []client.Incident) {
	row(w, "ID", "STATE", "PROCESS OR ACTION", "CREATED", "MESSAGE")
	for _, i := range incidents {
		row(w, i.ID.String(), string(i.State), concerned(i), timeText(i.CreatedAt), i.Message)
	}
}

// concerned is the id of what the workflow of an incident was for.
func concerned(i client.Incident) string {
	switch {
	case i.ProcessActionID != nil:
		return i.ProcessActionID.String()
	case i.ProcessID != nil:
		return i.ProcessID.String()
	case i.BusinessArtifactActionID != nil:
		return i.BusinessArtifactActionID.String()
	default:
		return ""
	}
}

func newIncidentCommand(
	env Environment, verb, short string, act func(context.Context, *service, uuid.UUID) (reply, error),
) *cobra.Command {
	return asking(env, &cobra.Command{
		Use: verb + " ID", Short: short, Args: exactly("the id of an incident"),
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := uuid.Parse(args[0])
		if err != nil {
			return misuse("the id of the incident: %w", err)
		}
		answer, err := act(cmd.Context(), s, id)
		incident, err := read[client.Incident](s, answer, err)
		if ExitCode(err) == ExitNotFound {
			return &failure{kind: domain.KindNotFound, text: fmt.Sprintf("incident %s not found", id)}
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", incident.ID, incident.State)
		return err
	})
}
