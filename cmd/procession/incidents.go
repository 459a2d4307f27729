package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

func newIncidentsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "incidents", Short: "Look at failed workflows and deal with them", RunE: onlyCommands}
	cmd.AddCommand(
		newIncidentsListCommand(),
		newIncidentCommand("retry", "Start the failed workflow of a process again", (*app.Service).RetryIncident),
		newIncidentCommand("dismiss", "Mark an incident as dealt with", (*app.Service).DismissIncident),
	)
	return cmd
}

// operator is who the commands act as: whoever may reach the database may
// operate the service.
func operator() domain.Caller {
	return domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem}
}

func newIncidentsListCommand() *cobra.Command {
	var all bool
	var limit int
	cmd := configured("list", "List incidents, the newest first",
		func(ctx context.Context, cmd *cobra.Command, c Config) error {
			return withOperations(ctx, c, func(s *app.Service) error {
				filter := app.IncidentFilter{States: []domain.IncidentState{domain.IncidentOpen}}
				if all {
					filter = app.IncidentFilter{}
				}
				page, err := s.ListIncidents(ctx, operator(), filter, domain.PageRequest{Size: limit})
				if err != nil {
					return err
				}
				return printIncidents(cmd, page)
			})
		})
	cmd.Flags().BoolVar(&all, "all", false, "also those that were retried or dismissed")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many to show, at most 1000")
	return cmd
}

func printIncidents(cmd *cobra.Command, page domain.Page[domain.Incident]) error {
	if len(page.Items) == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "no incidents")
		return err
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTATE\tPROCESS\tCREATED\tMESSAGE")
	for _, i := range page.Items {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", i.ID, i.State, i.ProcessID, i.CreatedAt.Format(time.RFC3339), i.Message)
	}
	if shown := int64(len(page.Items)); shown < page.Total {
		fmt.Fprintf(table, "\n%d of %d shown\n", shown, page.Total)
	}
	return table.Flush()
}

func newIncidentCommand(
	verb, short string,
	act func(*app.Service, context.Context, domain.Caller, uuid.UUID) (*domain.Incident, error),
) *cobra.Command {
	cmd := configured(verb+" ID", short, func(ctx context.Context, cmd *cobra.Command, c Config) error {
		id, err := uuid.Parse(cmd.Flags().Arg(0))
		if err != nil {
			return usageError{fmt.Errorf("the incident's id: %w", err)}
		}
		return withOperations(ctx, c, func(s *app.Service) error {
			incident, err := act(s, ctx, operator(), id)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", incident.ID, incident.State)
			return err
		})
	})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(1)(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
	return cmd
}

// withOperations runs operations on the database alone. Commands for Temporal
// that they stage are carried out by the service.
func withOperations(ctx context.Context, c Config, run func(*app.Service) error) error {
	db, err := openDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := prepareSchema(ctx, db, migrateCheck); err != nil {
		return err
	}
	return run(app.New(app.Options{
		DB: db, Clock: time.Now, Wake: func() {}, TaskLogLimit: c.TaskLogLimit, CancelGrace: c.CancelGrace,
	}))
}
