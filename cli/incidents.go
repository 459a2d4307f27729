package cli

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newIncidentsCommand(env Environment) *cobra.Command {
	return newGroup("incidents", "List failed workflows, retry them or dismiss them",
		newIncidentsListCommand(env), newIncidentsShowCommand(env),
		newIncidentCommand(env, "retry", "Start the failed workflow of a process again",
			func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
				return s.RetryIncident(ctx, id)
			}),
		newIncidentCommand(env, "dismiss", "Mark an incident as dealt with",
			func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
				return s.DismissIncident(ctx, id)
			}),
	)
}

func newIncidentsListCommand(env Environment) *cobra.Command {
	var all bool
	var process string
	cmd := listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List incidents, the newest first",
	}, listing[oasadmin.Incident]{
		rows: "incidents", limit: 50, tenant: ofTenantHelp, table: incidentTable,
		id: func(i oasadmin.Incident) string { return i.ID.String() },
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.Incident, int64, error) {
			params := oasadmin.FindIncidentsParams{Size: &by.limit, Tenant: filterOf(by.tenant)}
			if !all {
				params.State = []oasadmin.IncidentState{oasadmin.IncidentStateOPEN}
			}
			var err error
			if params.ProcessID, err = idFilter("process", process); err != nil {
				return nil, 0, err
			}
			answer, err := s.FindIncidents(cmd.Context(), &params)
			page, err := receive[oasadmin.IncidentPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
	})
	cmd.Flags().BoolVar(&all, "all", false, "also retried and dismissed ones")
	cmd.Flags().StringVar(&process, "process", "", "only incidents of the process with the `id`")
	return cmd
}

func incidentTable(v view, incidents []oasadmin.Incident) {
	v.writeTitles([]string{"ID", "STATE", "PROCESS OR ACTION", "CREATED", "MESSAGE"})
	for _, i := range incidents {
		writeRow(v, i.ID.String(), string(i.State), subjectID(i), timeText(i.CreatedAt), i.Message)
	}
}

func newIncidentsShowCommand(env Environment) *cobra.Command {
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "show ID", Short: "Show an incident with the report of the worker", Args: requireArgs("the id of an incident"),
		ValidArgsFunction: completeIncident(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id of the incident")
		if err != nil {
			return err
		}
		answer, err := s.RetrieveIncident(cmd.Context(), id)
		incident, err := receive[oasadmin.Incident](s, answer, err)
		if err != nil {
			return notFound(err, "incident "+id.String())
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), incident, func(v view) { showIncident(v, incident) })
	})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func showIncident(v view, i oasadmin.Incident) {
	for _, row := range [][2]string{
		{"Id:", i.ID.String()},
		{"State:", string(i.State)},
		{"Kind:", valueOf(i.Kind)},
		{"Process or action:", subjectID(i)},
		{"Activity:", valueOf(i.Activity)},
		{"Worker:", valueOf(i.Worker)},
		{"Created:", timeText(i.CreatedAt)},
		{"Message:", i.Message},
		{"Report:", valueOf(i.Failure)},
	} {
		if row[1] != "" {
			writeRow(v, row[0], row[1])
		}
	}
	if i.Attempts != nil {
		writeRow(v, "Attempts:", strconv.Itoa(*i.Attempts))
	}
}

// subjectID returns the id of the subject of an incident's workflow.
func subjectID(i oasadmin.Incident) string {
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
	env Environment, verb, short string, act func(context.Context, *service, uuid.UUID) (*http.Response, error),
) *cobra.Command {
	return newServiceCommand(env, &cobra.Command{
		Use: verb + " ID", Short: short, Args: requireArgs("the id of an incident"),
		ValidArgsFunction: completeIncident(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id of the incident")
		if err != nil {
			return err
		}
		answer, err := act(cmd.Context(), s, id)
		incident, err := receive[oasadmin.Incident](s, answer, err)
		if err != nil {
			return notFound(err, "incident "+id.String())
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", incident.ID, incident.State)
		return err
	})
}

// completeIncident completes the id of an open incident.
func completeIncident(env Environment) completions {
	return completeWork(env, func(ctx context.Context, s *service) ([]string, error) {
		answer, err := s.FindIncidents(ctx, &oasadmin.FindIncidentsParams{
			Size: new(mostNames), State: []oasadmin.IncidentState{oasadmin.IncidentStateOPEN},
		})
		page, err := receive[oasadmin.IncidentPage](s, answer, err)
		var found []string
		for _, i := range page.Content {
			found = append(found, i.ID.String()+"\t"+cellText(i.Message))
		}
		return found, err
	})
}
