package cli

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/form/locale"
	"github.com/procession-dev/procession/sdk/rest"
)

const newOwnerHelp = "user, named by e-mail address, or to a user or an application, named by id or, where you\n" +
	"administer it, by code."

// findOwner returns the id or the e-mail address of the principal that an argument names.
func (s *service) findOwner(ctx context.Context, arg string) (id *uuid.UUID, email *string, err error) {
	name := locale.Trim(arg)
	if strings.Contains(name, "@") {
		return nil, &name, nil
	}
	owner, err := s.findPrincipal(ctx, "the new owner", name, "")
	return &owner, nil, err
}

// delegatorsOf returns the delegator of a task, if it has one.
func delegatorsOf(item *rest.ProcessItem) []*uuid.UUID {
	if item.Task.Delegation == nil {
		return nil
	}
	return []*uuid.UUID{&item.Task.Delegation.DelegatorID}
}

func newTasksAssignCommand(env Environment) *cobra.Command {
	return taskCommand(env, &cobra.Command{
		Use: "assign ID USER", Short: "Assign a task to a user or an application",
		Long:    "Assigns a task to a " + newOwnerHelp + " The owner and managers of the process may.",
		Example: "  procession tasks assign 01970000-0000-7000-8000-000000000001 bob@demo.example",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, args []string) error {
		owner, email, err := s.findOwner(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		item, err := s.receiveTask(s.rest.AssignProcessItemTask(cmd.Context(), id, rest.ProcessItemTaskAssignParams{OwnerID: owner, OwnerEmail: email}))
		if err != nil {
			return err
		}
		return reportTask(cmd, &item)
	}, "a user or an application")
}

func newTasksDelegateCommand(env Environment) *cobra.Command {
	var note string
	cmd := taskCommand(env, &cobra.Command{
		Use: "delegate ID USER", Short: "Give a task to a user or an application who acts for you",
		Long: "Delegates a task to a " + newOwnerHelp + " The owner and managers of the process may.\n" +
			"You still see the task, and take it back with tasks claim.",
		Example: "  procession tasks delegate 01970000-0000-7000-8000-000000000001 bob@demo.example --note \"Please check the amount\"",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, args []string) error {
		owner, email, err := s.findOwner(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		body := rest.ProcessItemTaskDelegateParams{OwnerID: owner, OwnerEmail: email}
		if note != "" {
			body.Note = &note
		}
		item, err := s.receiveTask(s.rest.DelegateProcessItemTask(cmd.Context(), id, body))
		if err != nil {
			return err
		}
		return reportTask(cmd, &item)
	}, "a user or an application")
	cmd.Flags().StringVar(&note, "note", "", "a `text` for the new owner, at most 1,000 characters")
	return cmd
}

func newTasksReleaseCommand(env Environment) *cobra.Command {
	return taskCommand(env, &cobra.Command{
		Use: "release ID", Short: "Return a claimed task to its candidates",
		Long: "Returns a claimed task to its candidates. The owner of the task and managers of its process may.",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, _ []string) error {
		item, err := s.receiveTask(s.rest.ReleaseProcessItemTask(cmd.Context(), id))
		if err != nil {
			return err
		}
		return reportTask(cmd, &item)
	})
}
