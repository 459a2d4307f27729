package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newEventsShowCommand(env Environment) *cobra.Command {
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "show ID", Args: requireArgs("the id of an event"), Short: "Show an event, and the change of a document as a diff",
		Example:           "  procession events show 01970000-0000-7000-8000-000000000001",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := parseID(args[0], "the id")
		if err != nil {
			return err
		}
		answer, err := s.RetrieveEvent(cmd.Context(), id)
		record, err := receive[oasadmin.EventRecord](s, answer, err)
		if err != nil {
			return notFound(err, "event "+args[0])
		}
		if !out.isTable() {
			return out.write(cmd.Context(), cmd.OutOrStdout(), record, nil)
		}
		people, err := s.findPeople(cmd.Context(), "")
		if err != nil {
			return err
		}
		err = out.writeTable(cmd.OutOrStdout(), view{people: people}, func(v view) { eventFacts(v, record.Event) })
		if err != nil || record.Before == nil && record.After == nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout()); err != nil {
			return err
		}
		label := record.Event.Details["code"]
		_, err = writeDifference(cmd, record.Before, label, record.After, label)
		return err
	})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

// eventFacts writes an event, one member in each line.
func eventFacts(v view, e oasadmin.Event) {
	write := func(name, value string) {
		if value != "" {
			v.writeLine([]string{name, value})
		}
	}
	write("Event", e.ID.String())
	write("Type", e.Type)
	write("Time", timeText(e.OccurredAt))
	write("Actor", v.personName(&e.ActorID))
	write("Resource", e.ResourceKind+" "+e.ResourceID.String())
	if e.ProcessID != nil {
		write("Process", e.ProcessID.String())
	}
	write("State", statesOf(e))
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		write("  "+name, e.Details[name])
	}
	write("Request", textOf(e.RequestID))
}
