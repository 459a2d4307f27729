package cli

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newIncidentsCommand(env Environment) *cobra.Command {
	return newGroup("incidents", "List failed workflows, retry and handle them",
		newIncidentsListCommand(env), newIncidentsShowCommand(env),
		newIncidentCommand(env, "retry", "Start the failed workflow of a process again",
			func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
				return s.RetryIncident(ctx, id)
			}),
		newIncidentCommand(env, "dismiss", "Mark an incident as dealt with",
			func(ctx context.Context, s *service, id uuid.UUID) (*http.Response, error) {
				return s.DismissIncident(ctx, id)
			}),
		newIncidentsAckCommand(env), newIncidentsMuteCommand(env), newIncidentsUnmuteCommand(env), newIncidentsAssignCommand(env),
		newIncidentsCommentCommand(env),
	)
}

func newIncidentsListCommand(env Environment) *cobra.Command {
	var filters incidentFilters
	cmd := listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List incidents, the newest first, or their causes",
	}, listing[any]{
		rows: "incidents", limit: 50, tenant: ofTenantHelp, table: incidentTable,
		id: func(row any) string {
			if group, ok := row.(oasadmin.IncidentGroup); ok {
				return group.Cause
			}
			return row.(oasadmin.Incident).ID.String() //nolint:forcetypeassert,errcheck // the list has no other rows
		},
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]any, int64, error) {
			params, err := filters.params(cmd, s, by)
			if err != nil {
				return nil, 0, err
			}
			if filters.group {
				return findGroups(cmd, s, params)
			}
			answer, err := s.FindIncidents(cmd.Context(), params)
			page, err := receive[oasadmin.IncidentPage](s, answer, err)
			return rowsOf(page.Content), page.Metadata.TotalElements, err
		},
	})
	filters.bindFlags(cmd)
	return cmd
}

// findGroups returns the first causes of open incidents.
func findGroups(cmd *cobra.Command, s *service, by *oasadmin.FindIncidentsParams) ([]any, int64, error) {
	answer, err := s.FindIncidentGroups(cmd.Context(), &oasadmin.FindIncidentGroupsParams{
		Tenant: by.Tenant, Kind: by.Kind, Search: by.Search, AssigneeID: by.AssigneeID, Assigned: by.Assigned,
		Acknowledged: by.Acknowledged, Muted: by.Muted, Worker: by.Worker,
	})
	list, err := receive[oasadmin.IncidentGroupList](s, answer, err)
	rows := rowsOf(list.Content)
	return rows[:min(len(rows), *by.Size)], int64(len(rows)), err
}

func rowsOf[T any](list []T) []any {
	rows := make([]any, len(list))
	for i := range list {
		rows[i] = list[i]
	}
	return rows
}

// incidentTable writes incidents, or their causes.
func incidentTable(v view, rows []any) {
	titles := []string{"ID", "STATE", "PROCESS OR ACTION", "CREATED", "MESSAGE"}
	if _, ok := rows[0].(oasadmin.IncidentGroup); ok {
		titles = []string{"COUNT", "KIND", "DEFINITION", "ACTIVITY", "WORKER", "LATEST", "CAUSE", "MESSAGE"}
	}
	v.writeTitles(titles)
	for _, row := range rows {
		switch row := row.(type) {
		case oasadmin.Incident:
			writeRow(v, row.ID.String(), incidentState(row), subjectID(row), timeText(row.CreatedAt), row.Message)
		case oasadmin.IncidentGroup:
			writeRow(v, strconv.FormatInt(row.Count, 10), row.Kind, valueOf(row.ProcessDefinitionName), valueOf(row.Activity),
				valueOf(row.Worker), row.LatestID.String(), row.Cause, row.Message)
		}
	}
}

// incidentState returns the state of an incident, with its mute.
func incidentState(i oasadmin.Incident) string {
	if i.State == oasadmin.IncidentStateOPEN && i.MutedUntil != nil && i.MutedUntil.After(time.Now()) { //nolint:forbidigo // the clock of the command
		return string(i.State) + ", muted"
	}
	return string(i.State)
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
		{"State:", incidentState(i)},
		{"Kind:", valueOf(i.Kind)},
		{"Process or action:", subjectID(i)},
		{"Activity:", valueOf(i.Activity)},
		{"Worker:", valueOf(i.Worker)},
		{"Created:", timeText(i.CreatedAt)},
		{"Acknowledged:", optionalTime(i.AcknowledgedAt)},
		{"Muted until:", optionalTime(i.MutedUntil)},
		{"Assignee:", idText(i.AssigneeID)},
		{"Cause:", valueOf(i.Cause)},
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
	for _, c := range i.Comments {
		writeRow(v, "Comment:", timeText(c.CreatedAt)+" "+valueOf(c.AuthorName)+": "+c.Text)
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
