package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

// picking selects the resources of a command.
type picking struct {
	selector string
	tenant   string
	limit    int
}

func (p *picking) bind(env Environment, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&p.selector, "selector", "l", "", "only those with the `labels`, as key=value,key2=value2")
	f.StringVar(&p.tenant, "tenant", "", ofTenantHelp)
	contextual(f)
	completeTenants(env, cmd)
}

// params returns the parameters that find what is picked.
func (p *picking) params(kinds []oasadmin.ResourceKind, codes []string) (oasadmin.FindResourcesParams, error) {
	params := oasadmin.FindResourcesParams{Kind: kinds, Tenant: filter(p.tenant)}
	if len(codes) > 0 {
		params.Code = codes
	}
	if p.selector != "" {
		selector, err := resource.ParseSelector(p.selector)
		if err != nil {
			return params, misuse("reading --selector: %w", err)
		}
		for key, value := range selector {
			params.Label = append(params.Label, key+"="+value)
		}
		slices.Sort(params.Label)
	}
	return params, nil
}

func newGetCommand(env Environment) *cobra.Command {
	var p picking
	var watch bool
	var out *output
	cmd := asking(env, &cobra.Command{
		Use: "get KIND [CODE...]", Args: between(1, maxCodes, "a kind of resource"),
		Short: "Show resources",
		Long: "Shows resources of a kind, of several kinds with commas between, or of all kinds. One resource that is named is\n" +
			"shown as an object by -o json and jq, everything else as a list. What jq makes of it is written a line each, text\n" +
			"as it is.\n\nThere are the kinds " + kindHelp() + ".",
		Example: "  procession get users --tenant demo\n" +
			"  procession get process LOAN -o yaml\n" +
			"  procession get all -l app=loans -o jq='.[].metadata.code'",
		ValidArgsFunction: completeResources(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		kinds, err := parseKinds(args[0])
		if err != nil {
			return err
		}
		if p.limit < 0 {
			return misuse("--limit must not be negative")
		}
		codes := args[1:]
		params, err := p.params(kinds, codes)
		if err != nil {
			return err
		}
		if watch {
			return p.watch(cmd, s, params, out)
		}
		found, more, err := s.find(cmd.Context(), params, p.limit)
		if err != nil {
			return err
		}
		if len(found) == 0 && len(codes) == 0 {
			if err := s.checkEmpty(cmd.Context(), "resources", p.tenant); err != nil {
				return err
			}
		}
		if err := showResources(cmd, out, found, codes); err != nil {
			return err
		}
		if more {
			cmd.PrintErrln("there are more: --limit", p.limit)
		}
		return missing(args[0], codes, found, more)
	})
	p.bind(env, cmd)
	cmd.Flags().IntVar(&p.limit, "limit", 0, "maximum `number` of results; 0 for all")
	out = bindOutput(cmd, formatTable, formatWide, formatJSON, formatYAML, formatJQ, formatName)
	bindWatch(cmd, &watch)
	return cmd
}

// watch shows the resources, and then each that is new or has changed.
func (p *picking) watch(cmd *cobra.Command, s *service, params oasadmin.FindResourcesParams, out *output) error {
	find := func() ([]oasadmin.Resource, error) {
		found, _, err := s.find(cmd.Context(), params, p.limit)
		return found, err
	}
	id := func(r oasadmin.Resource) string { return tenantOf(r.Kind, r.Metadata) + "/" + resourceName(r) }
	untitled := false
	return watchRows(cmd, find, id, func(changed []oasadmin.Resource) error {
		switch {
		case len(changed) == 0:
			return nil
		case out.format == formatName:
			return writeNames(cmd.OutOrStdout(), changed, resourceName)
		case !out.isTable():
			return writeLines(cmd, out, changed)
		}
		v := view{untitled: untitled}
		untitled = true
		return out.table(cmd.OutOrStdout(), v, func(v view) { resourceTable(v, changed) })
	})
}

// resourceName returns what -o name writes of a resource.
func resourceName(r oasadmin.Resource) string { return name(r.Kind, r.Metadata.Code, "", false) }

// maxCodes bounds the codes of one request, whose address holds them.
const maxCodes = 100

func kindHelp() string {
	var names []string
	for _, kind := range resource.Definitions() {
		text := strings.ToLower(string(kind.Kind))
		if len(kind.ShortNames) > 0 {
			text += " (" + strings.Join(kind.ShortNames, ", ") + ")"
		}
		names = append(names, text)
	}
	return strings.Join(names, ", ")
}

// showResources writes the resources that were found for the codes. One that
// was asked for by its code is not a list.
func showResources(cmd *cobra.Command, out *output, found []oasadmin.Resource, codes []string) error {
	if len(found) == 0 && len(codes) > 0 {
		return nil // The caller reports it as an error.
	}
	if len(found) == 0 && out.isTable() {
		cmd.PrintErrln("no resources")
		return nil
	}
	var value any = found
	if len(codes) == 1 && len(found) == 1 {
		value = found[0]
	}
	if out.format == formatName {
		return writeNames(cmd.OutOrStdout(), found, resourceName)
	}
	return out.write(cmd.Context(), cmd.OutOrStdout(), value, func(v view) { resourceTable(v, found) })
}

// missing returns the failure for the codes that nothing was found for.
func missing(kind string, codes []string, found []oasadmin.Resource, more bool) error {
	if more {
		return nil
	}
	for _, code := range codes {
		if !slices.ContainsFunc(found, func(r oasadmin.Resource) bool { return r.Metadata.Code == code }) {
			known, err := parseKind(kind)
			if err != nil {
				known = resource.Kind(kind)
			}
			return absent(string(known) + "/" + code)
		}
	}
	return nil
}
