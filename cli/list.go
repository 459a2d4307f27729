package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/domain/jsontext"
)

// listing describes a command that lists rows of type T.
type listing[T any] struct {
	// rows names the rows in the plural, as in "no incidents".
	rows string
	// limit is the default of --limit; 0 for a command without that flag.
	limit int
	// tenant is the help of --tenant; empty for a command without that flag.
	tenant string
	// find returns the rows to show and how many there are in all.
	find func(cmd *cobra.Command, s *service, args []string, by listFlags) (found []T, total int64, err error)
	// empty returns why the list cannot but be empty, nil for checkEmpty.
	empty func(cmd *cobra.Command, s *service, by listFlags) error
	// id returns the argument of other commands for a row; nil for a list without -o name and --watch.
	id func(T) string
	// people returns the names of the principals in the rows by their ids; nil for none.
	people func(cmd *cobra.Command, s *service, by listFlags, found []T) (map[uuid.UUID]string, error)
	// table writes the rows as a table. There is at least one.
	table func(v view, found []T)
	// below writes text after the table, or is nil.
	below func(cmd *cobra.Command, s *service, by listFlags, found []T) error
}

// ofTenantHelp describes --tenant of lists.
const ofTenantHelp = "only rows of the tenant with the `code`"

// listFlags are the flags that lists have in common.
type listFlags struct {
	limit  int
	tenant string
}

// listCommand completes cmd to a command that shows a listing: as a table, unless
// -o says otherwise, with a note on standard error when rows are left out.
func listCommand[T any](env Environment, cmd *cobra.Command, l listing[T]) *cobra.Command {
	var by listFlags
	var watch bool
	var out *output
	cmd = newServiceCommand(env, cmd, func(cmd *cobra.Command, s *service, args []string) error {
		if l.limit > 0 {
			if err := checkLimit(by.limit); err != nil {
				return err
			}
		}
		if watch {
			return l.watch(cmd, s, args, by, out)
		}
		return l.show(cmd, s, args, by, out)
	})
	if l.limit > 0 {
		bindLimit(cmd, &by.limit, l.limit)
	}
	if l.tenant != "" {
		cmd.Flags().StringVar(&by.tenant, "tenant", "", l.tenant)
		defaultFromContext(cmd.Flags())
		completeTenants(env, cmd)
	}
	formats := []string{formatTable, formatWide, formatJSON, formatYAML, formatJQ}
	if l.id != nil {
		formats = append(formats, formatName)
		bindWatch(cmd, &watch)
	}
	out = bindOutput(cmd, formats...)
	return cmd
}

// show shows the listing once.
func (l *listing[T]) show(cmd *cobra.Command, s *service, args []string, by listFlags, out *output) error {
	found, total, err := l.find(cmd, s, args, by)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		if err := l.checkEmpty(cmd, s, by); err != nil {
			return err
		}
	}
	if len(found) == 0 && out.isTable() {
		cmd.PrintErrln("no " + l.rows)
	} else if err := l.write(cmd, s, by, out, found, false); err != nil {
		return err
	}
	if count := int64(len(found)); count < total {
		narrow := "--limit"
		if l.limit == 0 {
			narrow = "--tenant"
		}
		cmd.PrintErrf("%d of %d shown: %s\n", count, total, narrow)
	}
	if l.below != nil && out.isTable() {
		return l.below(cmd, s, by, found)
	}
	return nil
}

func (l *listing[T]) checkEmpty(cmd *cobra.Command, s *service, by listFlags) error {
	switch {
	case l.empty != nil:
		return l.empty(cmd, s, by)
	case l.tenant != "":
		return s.checkEmpty(cmd.Context(), l.rows, by.tenant)
	default:
		return nil
	}
}

// write writes rows, which continue a table or begin one.
func (l *listing[T]) write(cmd *cobra.Command, s *service, by listFlags, out *output, found []T, continued bool) error {
	switch {
	case out.format == formatName:
		return writeNames(cmd.OutOrStdout(), found, l.id)
	case !out.isTable():
		return out.write(cmd.Context(), cmd.OutOrStdout(), found, nil)
	}
	v := view{untitled: continued}
	if l.people != nil {
		var err error
		if v.people, err = l.people(cmd, s, by, found); err != nil {
			return err
		}
	}
	return out.writeTable(cmd.OutOrStdout(), v, func(v view) { l.table(v, found) })
}

// writeNames writes the names of rows, one per line.
func writeNames[T any](w io.Writer, found []T, name func(T) string) error {
	for _, r := range found {
		if _, err := fmt.Fprintln(w, name(r)); err != nil {
			return err
		}
	}
	return nil
}

// watch shows the listing, and then each row that is new or has changed, until the
// command is interrupted.
func (l *listing[T]) watch(cmd *cobra.Command, s *service, args []string, by listFlags, out *output) error {
	find := func() ([]T, error) {
		found, _, err := l.find(cmd, s, args, by)
		return found, err
	}
	first := true
	return watchRows(cmd, find, l.id, func(changed []T) error {
		if first && len(changed) == 0 {
			if err := l.checkEmpty(cmd, s, by); err != nil {
				return err
			}
		}
		continued := !first
		if len(changed) == 0 {
			return nil
		}
		first = false
		if out.isTable() || out.format == formatName {
			return l.write(cmd, s, by, out, changed, continued)
		}
		return writeLines(cmd, out, changed)
	})
}

func writeLines[T any](cmd *cobra.Command, out *output, values []T) error {
	for _, value := range values {
		if err := out.writeLine(cmd.Context(), cmd.OutOrStdout(), value); err != nil {
			return err
		}
	}
	return nil
}

// watchRows calls show with all rows, and then, every followInterval, with new and changed
// rows, until the command is interrupted.
func watchRows[T any](cmd *cobra.Command, find func() ([]T, error), id func(T) string, show func([]T) error) error {
	seen := map[string]string{}
	return pollUntil(cmd.Context(), func() (bool, error) {
		found, err := find()
		if err != nil {
			return false, err
		}
		var changed []T
		for _, r := range found {
			text, err := jsontext.Marshal(r)
			if err != nil {
				return false, fmt.Errorf("comparing answers: %w", err)
			}
			if seen[id(r)] != string(text) {
				seen[id(r)] = string(text)
				changed = append(changed, r)
			}
		}
		return false, show(changed)
	})
}

// pollUntil calls step at once and then every followInterval, until it is done or fails
// or ctx ends, which is not a failure.
func pollUntil(ctx context.Context, step func() (done bool, err error)) error {
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	for {
		done, err := step()
		if ctx.Err() != nil {
			return nil // the command was interrupted, and the request with it
		}
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func bindWatch(cmd *cobra.Command, watch *bool) {
	cmd.Flags().BoolVarP(watch, "watch", "w", false, "follow new and changed rows until interrupted")
}

func bindLimit(cmd *cobra.Command, limit *int, value int) {
	cmd.Flags().IntVar(limit, "limit", value, "maximum `number` of results, at most 1000")
}

func checkLimit(limit int) error {
	if limit < 1 || limit > pageSize {
		return usageError("--limit must be 1 to %d", pageSize)
	}
	return nil
}

// idFilter creates a filter of the id that a flag was given, or none.
func idFilter(flag, text string) ([]uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := parseID(text, "--"+flag)
	return []uuid.UUID{id}, err
}
