package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

// applyFlags contains the flags of apply and diff.
type applyFlags struct {
	files    []string
	prune    bool
	selector string
	tenant   string
	reason   string
	handOver string
}

func (a *applyFlags) bindFlags(env Environment, cmd *cobra.Command) {
	bindFiles(cmd, &a.files)
	f := cmd.Flags()
	f.BoolVar(&a.prune, "prune", false, "also delete resources that the selector matches and no document describes")
	f.StringVarP(&a.selector, "selector", "l", "", "with --prune: `labels`, as key=value,key2=value2")
	f.StringVar(&a.tenant, "tenant", "",
		"with --prune: `code` of the tenant to prune, needed where the documents are not of one tenant")
	completeTenants(env, cmd)
}

// bindFiles adds the flag that names documents.
func bindFiles(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVarP(files, "file", "f", nil,
		"`file`, folder with all that is in it, or - for standard input; repeatable")
}

// bindReason adds the flag for the reason of a change.
func bindReason(cmd *cobra.Command, reason *string) {
	cmd.Flags().StringVar(reason, "reason", "", "the `reason` of the change, which its events record")
}

func newApplyCommand(env Environment) *cobra.Command {
	var a applyFlags
	var dryRun bool
	var wait time.Duration
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "apply -f FILE|FOLDER|-", Args: requireArgs(),
		Short: "Create and change resources as documents describe them, all or none",
		Long: "Applies documents: creates missing resources, changes different ones, and keeps the others. All documents are\n" +
			"applied or none. Documents may refer to each other in any order.",
		Example: "  procession apply -f loan.yaml --dry-run\n" +
			"  procession apply -f loan.yaml --reason 'Ines joins the reviewers'\n" +
			"  procession apply -f definitions/ --prune -l app=loans",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		result, err := a.apply(cmd, s, dryRun)
		if err != nil {
			return err
		}
		if err := reportApplied(cmd, result); err != nil || wait <= 0 || dryRun {
			return err
		}
		return s.awaitWorkers(cmd, result, wait)
	})
	a.bindFlags(env, cmd)
	bindReason(cmd, &a.reason)
	bindHandOver(cmd, &a.handOver)
	cmd.Flags().DurationVar(&wait, "wait", 0,
		"wait, at most so `long`, until workers poll the task queues of the applied definitions; exit code 1 if they do not")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "report the changes without making them")
	return cmd
}

// apply reads the documents and applies them.
func (a *applyFlags) apply(cmd *cobra.Command, s *service, dryRun bool) (oasadmin.ResourceApplyResult, error) {
	var result oasadmin.ResourceApplyResult
	if err := checkHandOver("--hand-over", a.handOver); err != nil {
		return result, err
	}
	sources, err := readDocuments(cmd, a.files)
	if err != nil {
		return result, err
	}
	params := oasadmin.ResourceApplyParams{Documents: manifestTexts(sources), DryRun: &dryRun, Reason: nonEmpty(a.reason), HandOver: nonEmpty(a.handOver)}
	if params.Prune, err = a.pruneScope(sources); err != nil {
		return result, err
	}
	answer, err := s.ApplyResources(cmd.Context(), params)
	if result, err = receive[oasadmin.ResourceApplyResult](s, answer, err); err != nil {
		return result, locateFailure(err, sources)
	}
	for _, w := range result.Warnings {
		line := w.Message
		if w.Path != nil {
			line = placeOf(sources, *w.Path) + ": " + line
		}
		cmd.PrintErrln("warning:", line)
	}
	listCoverage(cmd, sources)
	return result, nil
}

// pruneScope returns the scope of the pruning, or nil without --prune.
func (a *applyFlags) pruneScope(sources []manifest.Source) (*oasadmin.ResourcePrune, error) {
	if !a.prune {
		if a.selector != "" || a.tenant != "" {
			return nil, usageError("--selector and --tenant are for --prune")
		}
		return nil, nil //nolint:nilnil // not to prune is no failure
	}
	if a.selector == "" {
		return nil, usageError("--prune needs --selector, which restricts the resources to delete")
	}
	selector, err := resource.ParseSelector(a.selector)
	if err != nil {
		return nil, usageError("reading --selector: %w", err)
	}
	tenant := a.tenant
	if tenant == "" {
		if tenant, err = onlyTenant(sources); err != nil {
			return nil, err
		}
	}
	return &oasadmin.ResourcePrune{Tenant: tenant, Selector: selector}, nil
}

// onlyTenant returns the tenant that all documents belong to.
func onlyTenant(sources []manifest.Source) (string, error) {
	var only string
	for _, source := range sources {
		tenant := headOf(source).tenantCode()
		if tenant == "" || only != "" && tenant != only {
			return "", usageError("--prune needs --tenant: the documents are not all of one tenant")
		}
		only = tenant
	}
	return only, nil
}

func reportApplied(cmd *cobra.Command, result oasadmin.ResourceApplyResult) error {
	mark := ""
	if result.DryRun {
		mark = " (dry run)"
	}
	several := severalTenants(result.Results)
	count := map[oasadmin.ApplyAction]int{}
	for _, r := range result.Results {
		count[r.Action]++
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s%s\n",
			resourceLabel(r.Kind, r.Code, r.Tenant, several), strings.ToLower(string(r.Action)), mark)
		if err != nil {
			return err
		}
		if r.OpenWork != nil {
			cmd.PrintErrf("%s: %s\n", resourceLabel(r.Kind, r.Code, r.Tenant, several), openWorkText(*r.OpenWork))
		}
	}
	var summary []string
	for _, action := range []oasadmin.ApplyAction{
		oasadmin.ApplyActionCREATED, oasadmin.ApplyActionCONFIGURED, oasadmin.ApplyActionDELETED, oasadmin.ApplyActionUNCHANGED,
	} {
		summary = append(summary, fmt.Sprintf("%d %s", count[action], strings.ToLower(string(action))))
	}
	cmd.PrintErrln(strings.Join(summary, ", ") + mark)
	return nil
}

func severalTenants(results []oasadmin.AppliedResource) bool {
	for _, r := range results {
		if r.Tenant != results[0].Tenant {
			return true
		}
	}
	return false
}

func manifestTexts(sources []manifest.Source) []json.RawMessage {
	documents := make([]json.RawMessage, len(sources))
	for i, source := range sources {
		documents[i] = source.JSON
	}
	return documents
}
