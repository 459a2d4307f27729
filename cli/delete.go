package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func newDeleteCommand(env Environment) *cobra.Command {
	var files []string
	var tenant string
	var yes bool
	cmd := asking(env, &cobra.Command{
		Use: "delete KIND CODE | delete -f FILE|FOLDER|-", Args: between(0, 2, "a kind of resource", "a code"),
		Short: "Delete resources",
		Long: "Deletes a resource, or those that documents describe, one after the other: first those that need others. A\n" +
			"resource that something else needs is not deleted. Of documents, those whose resource does not exist are skipped.",
		ValidArgsFunction: completeResource(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if len(files) > 0 {
			if len(args) > 0 || cmd.Flags().Changed("tenant") {
				return misuse("%s takes either -f or a kind and a code", cmd.CommandPath())
			}
			return deleteDocuments(cmd, s, files, yes)
		}
		if len(args) < 2 {
			return misuse("%s needs a kind and a code, or -f", cmd.CommandPath())
		}
		kind, err := parseKind(args[0])
		if err != nil {
			return err
		}
		target := doomed{oasadmin.ResourceKind(kind), args[1], tenant}
		if err := confirm(cmd, yes, []string{target.String()}, "Delete"); err != nil {
			return err
		}
		if err := s.delete(cmd.Context(), target); err != nil {
			return named(err, kind, args[1])
		}
		return target.report(cmd, "deleted")
	})
	bindFiles(cmd, &files)
	bindTenant(env, cmd, &tenant)
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// doomed is a resource to delete.
type doomed struct {
	kind         oasadmin.ResourceKind
	code, tenant string
}

func (d doomed) String() string { return name(d.kind, d.code, d.tenant, d.tenant != "") }

func (d doomed) report(cmd *cobra.Command, what string) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), d.String(), what)
	return err
}

func (s *service) delete(ctx context.Context, d doomed) error {
	if err := checkCode(d.code); err != nil {
		return err
	}
	answer, err := s.DeleteResource(ctx, d.kind, d.code, &oasadmin.DeleteResourceParams{Tenant: optional(d.tenant)})
	_, err = receive[struct{}](s, answer, err)
	return err
}

// deleteDocuments deletes what documents describe. Resources of one kind may need
// each other: what cannot go yet is tried again as long as others go.
func deleteDocuments(cmd *cobra.Command, s *service, files []string, yes bool) error {
	sources, err := readDocuments(cmd, files)
	if err != nil {
		return err
	}
	pending := make([]doomed, len(sources))
	for i, source := range sources {
		h := headOf(source)
		if !h.Kind.Valid() || checkCode(h.Metadata.Code) != nil {
			line, column := source.Position("")
			return misuse("%s:%d:%d: needs a kind and a code", source.File, line, column)
		}
		pending[i] = doomed{h.Kind, h.Metadata.Code, h.tenant()}
	}
	order := resource.Kinds()
	slices.SortStableFunc(pending, func(a, b doomed) int {
		return slices.Index(order, resource.Kind(b.kind)) - slices.Index(order, resource.Kind(a.kind))
	})
	targets := make([]string, len(pending))
	for i, d := range pending {
		targets[i] = d.String()
	}
	if err := confirm(cmd, yes, targets, "Delete"); err != nil {
		return err
	}
	for len(pending) > 0 {
		var needed []doomed
		var conflict error
		for _, d := range pending {
			err := s.delete(cmd.Context(), d)
			switch ExitCode(err) {
			case ExitOK:
				err = d.report(cmd, "deleted")
			case ExitNotFound:
				err = d.report(cmd, "absent")
			case ExitConflict:
				if conflict == nil {
					conflict = fmt.Errorf("deleting %s: %w", d, err)
				}
				needed, err = append(needed, d), nil
			}
			if err != nil {
				return fmt.Errorf("deleting %s: %w", d, err)
			}
		}
		if len(needed) == len(pending) {
			return conflict
		}
		pending = needed
	}
	return nil
}

// confirm asks whether to apply a verb to the targets.
func confirm(cmd *cobra.Command, yes bool, targets []string, verb string) error {
	if yes {
		return nil
	}
	for _, target := range targets {
		cmd.PrintErrln(target)
	}
	cmd.PrintErrf("%s %d? [y/N] ", verb, len(targets))
	line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	if answer == "y" || answer == "yes" {
		return nil
	}
	if err != nil && answer == "" {
		return misuse("standard input is at its end: use --yes to go on without a question")
	}
	return errors.New("nothing was done")
}
