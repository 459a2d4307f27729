package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
)

func newVersionsCommand(env Environment) *cobra.Command {
	return newGroup("versions", "List, show, compare and restore the versions of process definitions",
		newVersionsListCommand(env), newVersionsShowCommand(env), newVersionsDiffCommand(env), newVersionsRestoreCommand(env))
}

func newVersionsListCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "list CODE", Args: requireArgs("the code of a process definition"), Short: "List the versions of a process definition, the newest first",
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindProcessDefinition, cobra.ShellCompDirectiveNoFileComp),
	}, listing[oasadmin.DefinitionVersion]{
		rows: "versions", tenant: tenantHelp,
		empty: func(*cobra.Command, *service, listFlags) error { return nil },
		id:    func(v oasadmin.DefinitionVersion) string { return strconv.Itoa(v.Number) },
		find: func(cmd *cobra.Command, s *service, args []string, by listFlags) ([]oasadmin.DefinitionVersion, int64, error) {
			found, err := s.findVersions(cmd.Context(), args[0], by.tenant)
			return found, 0, err
		},
		people: func(cmd *cobra.Command, s *service, by listFlags, _ []oasadmin.DefinitionVersion) (map[uuid.UUID]string, error) {
			return s.findPeople(cmd.Context(), by.tenant)
		},
		table: func(v view, found []oasadmin.DefinitionVersion) {
			v.writeTitles([]string{"NUMBER", "NAME", "PUBLISHED", "PROCESSES", "CREATED", "BY"}, "VERSION", "BY ID")
			for _, d := range found {
				v.writeLine([]string{
					strconv.Itoa(d.Number), d.Name, yesNo(d.Published), formatNumber(d.Processes), timeText(d.CreatedAt), v.personName(&d.CreatedBy),
				}, d.Version.String(), d.CreatedBy.String())
			}
		},
	})
}

// findVersions returns the versions of a process definition, the newest first.
func (s *service) findVersions(ctx context.Context, code, tenant string) ([]oasadmin.DefinitionVersion, error) {
	if err := checkCode(code); err != nil {
		return nil, err
	}
	answer, err := s.FindDefinitionVersions(ctx, code, &oasadmin.FindDefinitionVersionsParams{Tenant: nonEmpty(tenant)})
	list, err := receive[oasadmin.DefinitionVersionList](s, answer, err)
	return list.Content, withName(err, resource.KindProcessDefinition, code)
}

// definitionVersion returns a version as a document.
func (s *service) definitionVersion(ctx context.Context, code, typed, tenant string) (oasadmin.ResourceDocument, error) {
	var document oasadmin.ResourceDocument
	if err := checkCode(code); err != nil {
		return document, err
	}
	n, err := strconv.Atoi(typed)
	if err != nil || n < 1 {
		return document, usageError("%q is not the number of a version, such as 1; versions list shows them", typed)
	}
	answer, err := s.RetrieveDefinitionVersion(ctx, code, n, &oasadmin.RetrieveDefinitionVersionParams{Tenant: nonEmpty(tenant)})
	document, err = receive[oasadmin.ResourceDocument](s, answer, err)
	return document, notFound(err, fmt.Sprintf("version %d of %s", n, resourceLabel(oasadmin.ResourceKindProcessDefinition, code, "", false)))
}

// versionCommand creates a command about versions of one process definition.
func versionCommand(
	env Environment, cmd *cobra.Command, tenant *string, run func(cmd *cobra.Command, s *service, args []string) error,
) *cobra.Command {
	cmd.ValidArgsFunction = completeCode(env, oasadmin.ResourceKindProcessDefinition, cobra.ShellCompDirectiveNoFileComp)
	cmd = newServiceCommand(env, cmd, run)
	bindTenant(env, cmd, tenant)
	return cmd
}

func newVersionsShowCommand(env Environment) *cobra.Command {
	var tenant string
	var out *output
	cmd := versionCommand(env, &cobra.Command{
		Use: "show CODE NUMBER", Args: requireArgs("the code of a process definition", "the number of a version"),
		Short: "Write a version as a document",
	}, &tenant, func(cmd *cobra.Command, s *service, args []string) error {
		document, err := s.definitionVersion(cmd.Context(), args[0], args[1], tenant)
		if err != nil {
			return err
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), document, nil)
	})
	out = bindOutput(cmd, formatYAML, formatJSON, formatJQ)
	return cmd
}

func newVersionsDiffCommand(env Environment) *cobra.Command {
	var tenant string
	return versionCommand(env, &cobra.Command{
		Use: "diff CODE NUMBER [NUMBER]", Args: requireArgsBetween(2, 3, "the code of a process definition", "the number of a version"),
		Short: "Show how a version differs from another one, or from the document as it is",
		Long:  "Shows the differences as diff does. Exits with 0 if there are none and with 1 if there are some.",
	}, &tenant, func(cmd *cobra.Command, s *service, args []string) error {
		before, err := s.definitionVersion(cmd.Context(), args[0], args[1], tenant)
		if err != nil {
			return err
		}
		var after oasadmin.ResourceDocument
		label := args[0] + " as it is"
		if len(args) > 2 {
			label = args[0] + " version " + args[2]
			after, err = s.definitionVersion(cmd.Context(), args[0], args[2], tenant)
		} else {
			var current oasadmin.Resource
			current, err = s.retrieveResource(cmd.Context(), resource.KindProcessDefinition, args[0], tenant)
			after = oasadmin.ResourceDocument{APIVersion: current.APIVersion, Kind: current.Kind, Metadata: current.Metadata, Spec: current.Spec}
		}
		if err != nil {
			return err
		}
		different, err := writeDifference(cmd, &before, args[0]+" version "+args[1], &after, label)
		if err == nil && different {
			err = ErrDifferences
		}
		return err
	})
}

// writeDifference writes how two documents differ, and reports whether they do.
func writeDifference(
	cmd *cobra.Command, before *oasadmin.ResourceDocument, beforeLabel string, after *oasadmin.ResourceDocument, afterLabel string,
) (bool, error) {
	old, beforeLabel, err := diffSide(before, beforeLabel)
	if err != nil {
		return false, err
	}
	changed, afterLabel, err := diffSide(after, afterLabel)
	if err != nil || old == changed {
		return false, err
	}
	text, err := udiff.ToUnified(beforeLabel, afterLabel, old, udiff.Lines(old, changed), udiff.DefaultContextLines)
	if err != nil {
		return false, fmt.Errorf("comparing %s: %w", afterLabel, err)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), text)
	return true, err
}

func newVersionsRestoreCommand(env Environment) *cobra.Command {
	var tenant, reason string
	var yes, dryRun bool
	cmd := versionCommand(env, &cobra.Command{
		Use: "restore CODE NUMBER", Args: requireArgs("the code of a process definition", "the number of a version"),
		Short: "Apply a version again",
		Long: "Shows the changes, asks for confirmation, and applies a version as a document. Rights and labels, which versions do not have,\n" +
			"stay as they are. It becomes the newest version; running processes stay on theirs.",
		Example: "  procession versions diff LOAN 1\n  procession versions restore LOAN 1",
	}, &tenant, func(cmd *cobra.Command, s *service, args []string) error {
		document, err := s.definitionVersion(cmd.Context(), args[0], args[1], tenant)
		if err != nil {
			return err
		}
		would, err := s.applyDocument(cmd.Context(), document, reason, true)
		if err != nil {
			return err
		}
		err = reportDifferences(cmd, would)
		if err == nil {
			cmd.PrintErrln("no changes")
		}
		if err == nil || dryRun {
			return err
		}
		if err := confirmTargets(cmd, yes, []string{args[0] + " version " + args[1]}, "Restore"); err != nil {
			return err
		}
		done, err := s.applyDocument(cmd.Context(), document, reason, false)
		if err != nil {
			return err
		}
		return reportApplied(cmd, done)
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	bindReason(cmd, &reason)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the changes, and exit with 1 if there are any")
	return cmd
}

// applyDocument applies one document.
func (s *service) applyDocument(
	ctx context.Context, document oasadmin.ResourceDocument, reason string, dryRun bool,
) (result oasadmin.ResourceApplyResult, err error) {
	text, err := jsontext.Marshal(document)
	if err != nil {
		return result, err
	}
	answer, err := s.ApplyResources(ctx, oasadmin.ResourceApplyParams{
		Documents: []json.RawMessage{text}, DryRun: &dryRun, Reason: nonEmpty(reason),
	})
	return receive[oasadmin.ResourceApplyResult](s, answer, err)
}
