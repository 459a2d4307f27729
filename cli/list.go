package cli

import (
	"io"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// listing describes a command that lists rows of type T.
type listing[T any] struct {
	// rows names what is listed in the plural, as in "no incidents".
	rows string
	// limit is the default of --limit; 0 for a command without that flag.
	limit int
	// tenant is the help of --tenant; empty for a command without that flag.
	tenant string
	// find returns the rows to show and how many there are in all.
	find func(cmd *cobra.Command, s *service, args []string, by listFlags) (found []T, total int64, err error)
	// table writes the rows as a table. There is at least one.
	table func(w io.Writer, found []T)
	// below writes what follows the table, if anything does.
	below func(cmd *cobra.Command, s *service, by listFlags, found []T) error
}

// ofTenantHelp describes --tenant of lists.
const ofTenantHelp = "only those of the tenant with the `code`"

// listFlags are the flags that lists have in common.
type listFlags struct {
	limit  int
	tenant string
}

// listCommand completes cmd to a command that shows a listing: as a table, unless
// -o says otherwise, with a note on standard error when rows are left out.
func listCommand[T any](env Environment, cmd *cobra.Command, l listing[T]) *cobra.Command {
	var by listFlags
	var out *output
	cmd = asking(env, cmd, func(cmd *cobra.Command, s *service, args []string) error {
		if l.limit > 0 {
			if err := checkLimit(by.limit); err != nil {
				return err
			}
		}
		found, total, err := l.find(cmd, s, args, by)
		if err != nil {
			return err
		}
		if len(found) == 0 && l.tenant != "" {
			if err := s.checkEmpty(cmd.Context(), l.rows, by.tenant); err != nil {
				return err
			}
		}
		if len(found) == 0 && out.format == formatTable {
			cmd.PrintErrln("no " + l.rows)
		} else if err := out.write(cmd.Context(), cmd.OutOrStdout(), found, func(w io.Writer) { l.table(w, found) }); err != nil {
			return err
		}
		if shown := int64(len(found)); shown < total {
			narrow := "--limit"
			if l.limit == 0 {
				narrow = "--tenant"
			}
			cmd.PrintErrf("%d of %d shown: %s\n", shown, total, narrow)
		}
		if l.below != nil && out.format == formatTable {
			return l.below(cmd, s, by, found)
		}
		return nil
	})
	if l.limit > 0 {
		bindLimit(cmd, &by.limit, l.limit)
	}
	if l.tenant != "" {
		cmd.Flags().StringVar(&by.tenant, "tenant", "", l.tenant)
		completeTenants(env, cmd)
	}
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func bindLimit(cmd *cobra.Command, limit *int, value int) {
	cmd.Flags().IntVar(limit, "limit", value, "maximum `number` of results, at most 1000")
}

func checkLimit(limit int) error {
	if limit < 1 || limit > pageSize {
		return misuse("--limit must be 1 to %d", pageSize)
	}
	return nil
}

// idFilter makes a filter of the id that a flag was given, or none.
func idFilter(flag, text string) ([]uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, misuse("--%s: %w", flag, err)
	}
	return []uuid.UUID{id}, nil
}
