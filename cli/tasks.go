package cli

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newTasksCommand(env Environment) *cobra.Command {
	return group("tasks", "Look after the tasks of processes", newTasksReleaseCommand(env))
}

func newTasksReleaseCommand(env Environment) *cobra.Command {
	return asking(env, &cobra.Command{
		Use: "release ID", Args: exactly("the id of a task"), Short: "Return a claimed task to its candidates",
		Long:              "Return a claimed task to its candidates. The owner of the task and managers of its process may.",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := uuid.Parse(args[0])
		if err != nil {
			return misuse("the id of the task: %w", err)
		}
		answer, err := s.ReleaseProcessItemTaskWithResponse(cmd.Context(), id)
		task, err := read[oasadmin.Task](s, answer, err)
		if err != nil {
			return notFound(err, "task "+id.String())
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", task.ID, task.State)
		return err
	})
}
