package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

// resourceFilter selects the resources of a command.
type resourceFilter struct {
	selector string
	tenant   string
	origin   string
	active   string
	limit    int
}

func (p *resourceFilter) bindFlags(env Environment, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&p.selector, "selector", "l", "", "only resources with the `labels`, as key=value,key2=value2")
	f.StringVar(&p.tenant, "tenant", "", ofTenantHelp)
	f.StringVar(&p.origin, "origin", "", "only resources of a `source`: MANIFEST, DIRECTORY, DEPARTED or SIGN_IN")
	f.StringVar(&p.active, "active", "", "true: without disabled users and applications; false: these only")
	defaultFromContext(f)
	completeTenants(env, cmd)
}

// requestParams returns the parameters that find the picked resources.
func (p *resourceFilter) requestParams(kinds []oasadmin.ResourceKind, codes []string) (oasadmin.FindResourcesParams, error) {
	params := oasadmin.FindResourcesParams{Kind: kinds, Tenant: filterOf(p.tenant)}
	if len(codes) > 0 {
		params.Code = codes
	}
	if p.origin != "" {
		params.Origin = []oasadmin.ResourceOrigin{oasadmin.ResourceOrigin(strings.ToUpper(p.origin))}
		if !params.Origin[0].Valid() {
			return params, usageError("--origin must be MANIFEST, DIRECTORY, DEPARTED or SIGN_IN")
		}
	}
	if p.active != "" {
		active, err := strconv.ParseBool(p.active)
		if err != nil {
			return params, usageError("--active must be true or false")
		}
		params.Active = &active
	}
	if p.selector != "" {
		selector, err := resource.ParseSelector(p.selector)
		if err != nil {
			return params, usageError("reading --selector: %w", err)
		}
		for key, value := range selector {
			params.Label = append(params.Label, key+"="+value)
		}
		slices.Sort(params.Label)
	}
	return params, nil
}

func newGetCommand(env Environment) *cobra.Command {
	var p resourceFilter
	var watch bool
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "get KIND [CODE...]", Args: requireArgsBetween(1, maxCodes, "a kind of resource"),
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
			return usageError("--limit must not be negative")
		}
		codes := args[1:]
		params, err := p.requestParams(kinds, codes)
		if err != nil {
			return err
		}
		if watch {
			return p.watchResources(cmd, s, params, out)
		}
		found, more, err := s.findResources(cmd.Context(), params, p.limit)
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
		return missingCodes(args[0], codes, found, more)
	})
	p.bindFlags(env, cmd)
	cmd.Flags().IntVar(&p.limit, "limit", 0, "maximum `number` of results; 0 for all")
	out = bindOutput(cmd, formatTable, formatWide, formatJSON, formatYAML, formatJQ, formatName)
	bindWatch(cmd, &watch)
	return cmd
}

// watchResources shows the resources, and then each that is new or has changed.
func (p *resourceFilter) watchResources(cmd *cobra.Command, s *service, params oasadmin.FindResourcesParams, out *output) error {
	find := func() ([]oasadmin.Resource, error) {
		found, _, err := s.findResources(cmd.Context(), params, p.limit)
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
		return out.writeTable(cmd.OutOrStdout(), v, func(v view) { resourceTable(v, changed) })
	})
}

// resourceName returns the name of a resource for -o name.
func resourceName(r oasadmin.Resource) string {
	return resourceLabel(r.Kind, r.Metadata.Code, "", false)
}

// maxCodes bounds the codes in the URL of one request.
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

// missingCodes returns the failure for the codes without a resource.
func missingCodes(kind string, codes []string, found []oasadmin.Resource, more bool) error {
	if more {
		return nil
	}
	for _, code := range codes {
		if !slices.ContainsFunc(found, func(r oasadmin.Resource) bool { return r.Metadata.Code == code }) {
			parsed, err := parseKind(kind)
			if err != nil {
				parsed = resource.Kind(kind)
			}
			return notFoundError(string(parsed) + "/" + code)
		}
	}
	return nil
}
