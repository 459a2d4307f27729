package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/doctor"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/maintenance"
	"github.com/procession-dev/procession/persistence/retention"
)

// purgeFlags are the flags of purge.
type purgeFlags struct {
	dryRun bool
	tenant string
	kinds  []string
	before string
	format doctor.Format
}

// purgedLine is a line of the output of purge.
type purgedLine struct {
	Tenant     string               `json:"tenant"`
	Kind       domain.RetentionKind `json:"kind"`
	Before     time.Time            `json:"before"`
	Count      int64                `json:"count"`
	OldestKept *time.Time           `json:"oldestKept"`
}

func newPurgeCommand() *cobra.Command {
	f := purgeFlags{format: "text"}
	cmd := newConfiguredCommand("purge", "Remove old data now, in the database", func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		chosen, err := f.newSelection(time.Now())
		if err != nil {
			return err
		}
		db, err := server.OpenDatabase(ctx, c)
		if err != nil {
			return err
		}
		defer db.Close()
		turns, err := retention.Turns(ctx, db.Reader(), c.RetentionBounds(), time.Now())
		if err != nil {
			return err
		}
		if f.tenant != "" && !slices.ContainsFunc(turns, func(t retention.Turn) bool { return t.Tenant == f.tenant }) {
			return domain.NotFound("tenant")
		}
		lines, err := f.purgePartitions(ctx, db, chosen(turns))
		if err == nil {
			var more []purgedLine
			more, err = f.purgeTurns(ctx, db, chosen(turns))
			lines = append(lines, more...)
		}
		return errors.Join(f.writeLines(cmd.OutOrStdout(), lines), err)
	})
	cmd.Long = "Removes data beyond the retention of the installation and of its tenants, as the service does once a day. With\n" +
		"--before it removes older data instead. It works in small parts:\n" +
		"the service continues to run, and the command can be interrupted and repeated at any time. The command needs the database of\n" +
		"the service and no token; for events the role must own the database or have been granted remove_old_events and\n" +
		"drop_event_partition. Whole partitions of the event log are dropped where no --tenant is given; EVENT_PARTITIONS counts them.\n" +
		"The removal is recorded as events and cannot be undone."
	flags := cmd.Flags()
	flags.BoolVar(&f.dryRun, "dry-run", false, "only count the rows that would be removed")
	flags.StringVar(&f.tenant, "tenant", "", "`code` of the tenant; all tenants by default")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only these `kinds`: events, processes, deleted, deliveries, assistance_calls")
	flags.StringVar(&f.before, "before", "", "remove data older than this `age or time`: 400d, 2026-01-31T00:00:00Z")
	flags.VarP(&f.format, "output", "o", "text or json")
	return cmd
}

// newSelection returns a function that selects turns and sets their limits.
func (f *purgeFlags) newSelection(now time.Time) (func([]retention.Turn) []retention.Turn, error) {
	kinds := make([]domain.RetentionKind, len(f.kinds))
	for i, name := range f.kinds {
		kinds[i] = domain.RetentionKind(strings.ToUpper(name))
		if !slices.Contains(domain.RetentionKinds(), kinds[i]) {
			return nil, config.UsageError{Err: fmt.Errorf("--kind %s is unknown; there are events, processes, deleted, deliveries and "+
				"assistance_calls", name)}
		}
	}
	before, err := cli.Moment("before", f.before, now)
	if err != nil {
		return nil, config.UsageError{Err: err}
	}
	if before != nil {
		for _, kind := range domain.RetentionKinds() {
			if (len(kinds) == 0 || slices.Contains(kinds, kind)) && now.Sub(*before) < kind.Least() {
				return nil, config.UsageError{Err: fmt.Errorf("--before must be %gh ago or more for %s", kind.Least().Hours(),
					strings.ToLower(string(kind)))}
			}
		}
	}
	return func(all []retention.Turn) []retention.Turn {
		var chosen []retention.Turn
		for _, t := range all {
			if before != nil {
				t.Before = *before
			}
			if !t.Before.IsZero() && (f.tenant == "" || t.Tenant == f.tenant) && (len(kinds) == 0 || slices.Contains(kinds, t.Kind)) {
				chosen = append(chosen, t)
			}
		}
		return chosen
	}, nil
}

// eventPartitions is the kind of lines about partitions of the event log.
const eventPartitions domain.RetentionKind = "EVENT_PARTITIONS"

// purgePartitions drops the partitions of the event log that are older than the limit of the turns, unless it is a
// dry run, and returns a line about them. It returns no line if a tenant was selected or events have no limit.
func (f *purgeFlags) purgePartitions(ctx context.Context, db *persistence.DB, turns []retention.Turn) ([]purgedLine, error) {
	i := slices.IndexFunc(turns, func(t retention.Turn) bool { return t.Tenant == "" && t.Kind == domain.RetainEvents })
	if i < 0 || f.tenant != "" {
		return nil, nil
	}
	line := purgedLine{Kind: eventPartitions, Before: turns[i].Before.UTC().Truncate(time.Second)}
	found, err := retention.FindPartitions(ctx, db.Background().Reader(), line.Before)
	if err == nil && !f.dryRun {
		found, err = maintenance.DropPartitions(ctx, db, line.Before, time.Now)
	}
	line.Count = found.Count
	if err != nil {
		err = fmt.Errorf("dropping partitions of the event log: %w", err)
	}
	return []purgedLine{line}, err
}

// purgeTurns removes the rows of the turns, or counts them in a dry run. With an error it returns the lines of the
// turns before it.
func (f *purgeFlags) purgeTurns(ctx context.Context, db *persistence.DB, turns []retention.Turn) ([]purgedLine, error) {
	lines := make([]purgedLine, 0, len(turns))
	for _, t := range turns {
		line := purgedLine{Tenant: t.Tenant, Kind: t.Kind, Before: t.Before.UTC().Truncate(time.Second)}
		var err error
		if !f.dryRun {
			line.Count, err = maintenance.Purge(ctx, db, t, time.Now)
		}
		if err != nil {
			return append(lines, line), fmt.Errorf("removing %s of %q: %w", strings.ToLower(string(t.Kind)), t.Tenant, err)
		}
		found, err := retention.Find(ctx, db.Background().Reader(), t)
		if err != nil {
			return lines, err
		}
		if f.dryRun {
			line.Count = found.Count
		}
		line.OldestKept = found.OldestKept
		lines = append(lines, line)
	}
	return lines, nil
}

func (f *purgeFlags) writeLines(out io.Writer, lines []purgedLine) error {
	if f.format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(lines)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	count := "REMOVED"
	if f.dryRun {
		count = "TO REMOVE"
	}
	_, _ = fmt.Fprintf(w, "TENANT\tKIND\tBEFORE\t%s\tOLDEST KEPT\n", count)
	for _, line := range lines {
		kept := "-"
		if line.OldestKept != nil {
			kept = line.OldestKept.UTC().Format(time.RFC3339)
		}
		tenant := line.Tenant
		if tenant == "" {
			tenant = "-"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", tenant, line.Kind, line.Before.Format(time.RFC3339), line.Count, kept)
	}
	return w.Flush()
}
