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
	var tenant, reason, handOver string
	var yes bool
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "delete KIND CODE | delete -f FILE|FOLDER|-", Args: requireArgsBetween(0, 2, "a kind of resource", "a code"),
		Short: "Delete resources",
		Long: "Deletes a resource, or the resources in documents, one after the other, in the order of their references. A\n" +
			"resource with references to it is not deleted. A user with open work is deleted with --hand-over only, which also takes\n" +
			"it out of groups and definitions. Documents without an existing resource are skipped.",
		ValidArgsFunction: completeResource(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkHandOver("--hand-over", handOver); err != nil {
			return err
		}
		if len(files) > 0 {
			if len(args) > 0 || cmd.Flags().Changed("tenant") {
				return usageError("%s takes either -f or a kind and a code", cmd.CommandPath())
			}
			return deleteDocuments(cmd, s, files, deletion{reason: reason, handOver: handOver}, yes)
		}
		if len(args) < 2 {
			return usageError("%s needs a kind and a code, or -f", cmd.CommandPath())
		}
		kind, err := parseKind(args[0])
		if err != nil {
			return err
		}
		target := deletion{oasadmin.ResourceKind(kind), args[1], tenant, reason, handOver}
		if err := confirmTargets(cmd, yes, []string{target.String()}, "Delete"); err != nil {
			return err
		}
		if err := s.deleteResource(cmd.Context(), target); err != nil {
			return withName(err, kind, args[1])
		}
		return target.printResult(cmd, "deleted")
	})
	bindFiles(cmd, &files)
	bindTenant(env, cmd, &tenant)
	bindReason(cmd, &reason)
	bindHandOver(cmd, &handOver)
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// deletion is a resource to delete.
type deletion struct {
	kind                           oasadmin.ResourceKind
	code, tenant, reason, handOver string
}

func (d deletion) String() string { return resourceLabel(d.kind, d.code, d.tenant, d.tenant != "") }

func (d deletion) printResult(cmd *cobra.Command, result string) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), d.String(), result)
	return err
}

func (s *service) deleteResource(ctx context.Context, d deletion) error {
	if err := checkCode(d.code); err != nil {
		return err
	}
	answer, err := s.DeleteResource(ctx, d.kind, d.code, &oasadmin.DeleteResourceParams{
		Tenant: nonEmpty(d.tenant), Reason: nonEmpty(d.reason), HandOver: nonEmpty(d.handOver),
	})
	_, err = receive[struct{}](s, answer, err)
	return err
}

// deleteDocuments deletes the resources in manifests. Resources of one kind may refer to
// each other: refused deletions are retried as long as others succeed.
func deleteDocuments(cmd *cobra.Command, s *service, files []string, each deletion, yes bool) error {
	sources, err := readDocuments(cmd, files)
	if err != nil {
		return err
	}
	pending := make([]deletion, len(sources))
	for i, source := range sources {
		h := headOf(source)
		if !h.Kind.Valid() || checkCode(h.Metadata.Code) != nil {
			line, column := source.Position("")
			return usageError("%s:%d:%d: needs a kind and a code", source.File, line, column)
		}
		pending[i] = deletion{h.Kind, h.Metadata.Code, h.tenantCode(), each.reason, each.handOver}
	}
	order := resource.Kinds()
	slices.SortStableFunc(pending, func(a, b deletion) int {
		return slices.Index(order, resource.Kind(b.kind)) - slices.Index(order, resource.Kind(a.kind))
	})
	targets := make([]string, len(pending))
	for i, d := range pending {
		targets[i] = d.String()
	}
	if err := confirmTargets(cmd, yes, targets, "Delete"); err != nil {
		return err
	}
	for len(pending) > 0 {
		var needed []deletion
		var conflict error
		for _, d := range pending {
			err := s.deleteResource(cmd.Context(), d)
			switch ExitCode(err) {
			case ExitOK:
				err = d.printResult(cmd, "deleted")
			case ExitNotFound:
				err = d.printResult(cmd, "absent")
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

// confirmTargets asks whether to apply a verb to the targets.
func confirmTargets(cmd *cobra.Command, yes bool, targets []string, verb string) error {
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
		return usageError("standard input has ended: use --yes to confirm")
	}
	return errors.New("aborted without a change")
}
