package cli

import (
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

const selectionHelp = "Filters are combined; without any, all resources that you see are selected."

func newBulkPreviewCommand(env Environment) *cobra.Command {
	var selection bulkSelection
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "preview KIND", Args: requireArgs("a kind of bulk operation"), ValidArgsFunction: completeBulkKind,
		Short: "Show how many resources a bulk operation would change, and how many it would refuse",
		Long: "Fixes the selection of a bulk operation and shows the expected results. Nothing is changed before the operation\n" +
			"is started with bulk start ID. " + selectionHelp,
		Example: "  procession bulk preview retry-incidents --state OPEN --search 'the bank is closed'\n" +
			"  procession bulk preview move-processes --definition LOAN --state RUNNING --to-version 3",
	}, func(cmd *cobra.Command, s *service, args []string) error {
		previewed, err := selection.preview(cmd, s, args[0])
		if err != nil {
			return err
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), previewed, func(v view) { writeForecast(v, &previewed) })
	})
	selection.bindFlags(env, cmd)
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func (b *bulkSelection) preview(cmd *cobra.Command, s *service, kind string) (previewed oasadmin.BulkOperation, err error) {
	parsed, err := parseBulkKind(kind)
	if err != nil {
		return previewed, err
	}
	params, err := b.requestParams(cmd, s, parsed)
	if err != nil {
		return previewed, err
	}
	answer, err := s.PreviewBulkOperation(cmd.Context(), params)
	return receive[oasadmin.BulkOperation](s, answer, err)
}

// writeForecast writes a row for each expected result.
func writeForecast(v view, b *oasadmin.BulkOperation) {
	v.writeTitles([]string{"RESOURCES", "RESULT", "REASON"})
	writeRow(v, strconv.Itoa(b.Selected), "selected", "bulk operation "+b.ID.String())
	for _, f := range b.Forecast {
		result := "changed"
		if f.Code != nil {
			result = "refused"
		}
		writeRow(v, strconv.Itoa(f.Count), result, valueOf(f.Message))
	}
	if sample := b.Sample; sample != nil {
		checked := fmt.Sprintf("of %d checked", sample.Checked)
		writeRow(v, strconv.Itoa(sample.Invalid), "invalid values", checked)
		writeRow(v, strconv.Itoa(sample.Losing), "lose items, user actions or elements", checked)
		writeRow(v, strconv.Itoa(sample.Refused), "cannot be moved", checked)
	}
}

func newBulkStartCommand(env Environment) *cobra.Command {
	var selection bulkSelection
	var reason string
	var yes, watch bool
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "start KIND|ID", Args: requireArgs("a kind of bulk operation, or the id of a preview"), ValidArgsFunction: completeBulkKind,
		Short: "Preview and start a bulk operation, or start a preview",
		Long: "Previews a bulk operation, asks for a confirmation and starts it, or starts the preview with the id. The operation\n" +
			"continues in the background with your rights. " + selectionHelp,
		Example: "  procession bulk start retry-incidents --state OPEN --search 'the bank is closed' --reason 'the bank is open' --watch\n" +
			"  procession bulk start 0197… --reason 'the bank is open'",
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := uuid.Parse(args[0])
		if err != nil {
			previewed, err := selection.preview(cmd, s, args[0])
			if err != nil {
				return err
			}
			table := &output{format: formatTable}
			if err := table.writeTable(cmd.ErrOrStderr(), view{}, func(v view) { writeForecast(v, &previewed) }); err != nil {
				return err
			}
			if err := confirmTargets(cmd, yes, []string{"bulk operation " + previewed.ID.String()}, "Start"); err != nil {
				return err
			}
			id = previewed.ID
		}
		answer, err := s.StartBulkOperation(cmd.Context(), id, oasadmin.BulkStartParams{Reason: reason})
		started, err := receive[oasadmin.BulkOperation](s, answer, err)
		if err != nil {
			return notFound(err, "bulk operation "+id.String())
		}
		if watch {
			return watchBulk(cmd, s, id)
		}
		return writeBulkState(cmd, &started)
	})
	selection.bindFlags(env, cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "why, as a `text` of 1 to 500 characters")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show the progress until the operation ends")
	_ = cmd.MarkFlagRequired("reason") // The flag exists.
	return cmd
}

func newBulkWatchCommand(env Environment) *cobra.Command {
	return bulkCommand(env, &cobra.Command{
		Use: "watch ID", Short: "Show the progress of a bulk operation until it ends",
	}, watchBulk)
}

// watchBulk writes a line whenever the progress of an operation has changed, until it ends.
func watchBulk(cmd *cobra.Command, s *service, id uuid.UUID) error {
	last := -1
	return pollUntil(cmd.Context(), func() (bool, error) {
		answer, err := s.RetrieveBulkOperation(cmd.Context(), id)
		found, err := receive[oasadmin.BulkOperation](s, answer, err)
		if err != nil {
			return false, err
		}
		ended := found.State != oasadmin.BulkStateRUNNING
		if handled := found.Done + found.Refused; handled != last || ended {
			last = handled
			return ended, writeBulkState(cmd, &found)
		}
		return false, nil
	})
}
