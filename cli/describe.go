package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

func newDescribeCommand(env Environment) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "describe KIND CODE", Args: requireArgs("a kind of resource", "a code"),
		Short: "Show a resource with all that belongs to it",
		Long: "Shows a resource with its rights, the versions of a process definition, the names and ages of secrets, and the\n" +
			"references to the resource.",
		ValidArgsFunction: completeResource(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		kind, err := parseKind(args[0])
		if err != nil {
			return err
		}
		d, err := s.describeResource(cmd.Context(), kind, args[1], tenant)
		if err != nil {
			return err
		}
		return d.write(cmd.OutOrStdout(), env.Clock())
	})
	bindTenant(env, cmd, &tenant)
	return cmd
}

// tenantHelp describes --tenant of commands about one resource.
const tenantHelp = "`code` of the tenant, needed where several have such a resource"

// bindTenant adds the flag for the tenant of a resource.
func bindTenant(env Environment, cmd *cobra.Command, tenant *string) {
	cmd.Flags().StringVar(tenant, "tenant", "", tenantHelp)
	defaultFromContext(cmd.Flags())
	completeTenants(env, cmd)
}

// description contains all details of a resource.
type description struct {
	resource oasadmin.Resource
	versions []oasadmin.DefinitionVersion
	secrets  []oasadmin.Secret
	rights   []right
	usedBy   []string
	// people are the users and applications of the tenant, by their ids.
	people map[uuid.UUID]string
}

func (s *service) describeResource(ctx context.Context, kind resource.Kind, code, tenant string) (*description, error) {
	found, err := s.retrieveResource(ctx, kind, code, tenant)
	if err != nil {
		return nil, err
	}
	d := &description{resource: found, rights: rightsOf(found)}
	tenant = tenantOf(found.Kind, found.Metadata)
	if kind == resource.KindProcessDefinition {
		if d.versions, err = s.findVersions(ctx, code, tenant); err != nil {
			return nil, err
		}
	}
	if canHaveSecrets(kind) {
		if d.secrets, err = s.findSecrets(ctx, oasadmin.SecretOwnerKind(kind), code, tenant); err != nil {
			return nil, err
		}
	}
	return d, s.addRelations(ctx, d, kind, code, tenant)
}

// addRelations searches the visible resources of the tenant for references to the resource and
// for the principal that changed it.
func (s *service) addRelations(ctx context.Context, d *description, kind resource.Kind, code, tenant string) error {
	all, _, err := s.findResources(ctx, oasadmin.FindResourcesParams{Tenant: filterOf(tenant)}, 0)
	if err != nil {
		return err
	}
	d.people = map[uuid.UUID]string{domain.SystemPrincipalID(): "the service"}
	for _, r := range all {
		label := resourceLabel(r.Kind, r.Metadata.Code, "", false)
		if r.Metadata.ID != nil && (r.Kind == oasadmin.ResourceKindUser || r.Kind == oasadmin.ResourceKindApplication) {
			d.people[*r.Metadata.ID] = label
		}
		document, err := resource.FromStored(resource.Kind(r.Kind), resource.Metadata{}, r.Spec)
		if err != nil {
			continue // A newer service has documents that this program does not know.
		}
		needs := func(n resource.Reference) bool { return n.Kind == kind && n.Code == code }
		if slices.ContainsFunc(document.Spec.References(), needs) {
			d.usedBy = append(d.usedBy, label)
		}
	}
	return nil
}

func (d *description) write(w io.Writer, now time.Time) error {
	if err := d.writeHead(w); err != nil {
		return err
	}
	spec, err := manifest.Format(d.resource.Spec)
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	fmt.Fprintln(w, "\nSpec:")
	for line := range strings.Lines(string(spec)) {
		fmt.Fprint(w, "  ", line)
	}
	if len(d.rights) > 0 {
		err = writeSection(w, "Rights", func(t io.Writer) {
			for _, r := range d.rights {
				writeRow(t, "  "+r.right, r.holder)
			}
		})
	}
	if err == nil && d.resource.Kind == oasadmin.ResourceKindProcessDefinition {
		err = writeSection(w, "Versions", func(t io.Writer) { versionTable(t, d.versions) })
	}
	if err == nil && canHaveSecrets(resource.Kind(d.resource.Kind)) {
		err = writeSection(w, "Secrets", func(t io.Writer) { secretTable(t, "  ", d.secrets, now) })
	}
	if err == nil && len(d.usedBy) > 0 {
		err = writeSection(w, "Used by", func(t io.Writer) {
			for _, user := range d.usedBy {
				writeRow(t, "  "+user)
			}
		})
	}
	return err
}

func (d *description) writeHead(w io.Writer) error {
	r, m := d.resource, d.resource.Metadata
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writeRow(t, "Kind:", string(r.Kind))
	writeRow(t, "Code:", m.Code)
	if m.Tenant != nil {
		writeRow(t, "Tenant:", *m.Tenant)
	}
	if m.ID != nil {
		writeRow(t, "Id:", m.ID.String())
	}
	if len(m.Labels) > 0 {
		writeRow(t, "Labels:", labelText(m.Labels))
	}
	writeRow(t, "Created:", timeText(r.Status.CreatedAt)+" by "+d.personName(r.Status.CreatedBy))
	writeRow(t, "Changed:", timeText(r.Status.LastModifiedAt)+" by "+d.personName(r.Status.LastModifiedBy))
	return t.Flush()
}

// personName names the principal with an id, or returns the id if it is not of the tenant.
func (d *description) personName(id uuid.UUID) string {
	if cached, ok := d.people[id]; ok {
		return cached
	}
	return id.String()
}

// labelText returns how labels are shown, in the order of their keys.
func labelText(labels map[string]string) string {
	texts := make([]string, 0, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		texts = append(texts, key+"="+labels[key])
	}
	return strings.Join(texts, ", ")
}

// writeSection writes a part of a description that is a table.
func writeSection(w io.Writer, title string, table func(io.Writer)) error {
	fmt.Fprintf(w, "\n%s:\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	table(t)
	return t.Flush()
}

func versionTable(w io.Writer, versions []oasadmin.DefinitionVersion) {
	if len(versions) == 0 {
		writeRow(w, "  none was published")
		return
	}
	writeRow(w, "  NUMBER", "VERSION", "NAME", "PUBLISHED", "PROCESSES", "CREATED")
	for _, v := range versions {
		published := ""
		if v.Published {
			published = "yes"
		}
		writeRow(w, fmt.Sprintf("  %d", v.Number), v.Version.String(), v.Name, published, fmt.Sprint(v.Processes),
			timeText(v.CreatedAt))
	}
}
