package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

func newExportCommand(env Environment) *cobra.Command {
	var p resourceFilter
	var out *output
	var folder string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "export [KIND...]", Args: cobra.ArbitraryArgs,
		Short: "Write resources as documents that can be applied",
		Long: "Writes resources as documents. Applying them to the same service makes no change. They contain no secrets, but\n" +
			"hashes of secrets that documents declare. The uploads of robots are part of their status.",
		Example: "  procession export --tenant demo -d backup\n" +
			"  procession export processes > processes.yaml",
		ValidArgsFunction: completeKinds,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if len(args) == 0 {
			args = []string{allKinds}
		}
		kinds, err := parseKinds(strings.Join(args, ","))
		if err != nil {
			return err
		}
		params, err := p.requestParams(kinds, nil)
		if err != nil {
			return err
		}
		found, _, err := s.findResources(cmd.Context(), params, 0)
		if err != nil {
			return err
		}
		documents := make([]exportedResource, len(found))
		for i, r := range found {
			documents[i] = exportedOf(r)
		}
		if len(documents) == 0 {
			cmd.PrintErrln("no resources")
			return nil
		}
		if folder == "" {
			return out.write(cmd.Context(), cmd.OutOrStdout(), documents, nil)
		}
		if err := writeFolder(cmd, folder, out, documents); err != nil {
			return fmt.Errorf("writing to %s: %w", folder, err)
		}
		cmd.PrintErrf("%s written to %s\n", domain.CountText(len(documents), "document", "documents"), folder)
		return reportStale(cmd, folder, kinds, documents, out.format)
	})
	p.bindFlags(env, cmd)
	out = bindOutput(cmd, formatYAML, formatJSON)
	cmd.Flags().StringVarP(&folder, "dir", "d", "", "write a file TENANT/KIND/CODE for each into the `folder`")
	return cmd
}

// exportedResource is a resource as it can be applied.
type exportedResource struct {
	APIVersion string                    `json:"apiVersion"`
	Kind       oasadmin.ResourceKind     `json:"kind"`
	Metadata   oasadmin.ResourceMetadata `json:"metadata"`
	Spec       oasadmin.ResourceSpec     `json:"spec"`
	Status     *exportedStatus           `json:"status,omitempty"`
}

// exportedStatus is the status of a robot, which its manifest lacks. Applying ignores it.
type exportedStatus struct {
	Source               *exportedFile   `json:"source,omitempty"`
	Assets               []exportedAsset `json:"assets,omitempty"`
	EnvironmentVariables []string        `json:"environmentVariables,omitempty"`
}

// exportedFile contains the properties of a file that are the same wherever it is uploaded.
type exportedFile struct {
	Name          string `json:"name"`
	ContentType   string `json:"contentType"`
	ContentLength int64  `json:"contentLength"`
	ContentHash   string `json:"contentHash"`
}

type exportedAsset struct {
	Type         oasadmin.RobotAssetType         `json:"type"`
	Version      string                          `json:"version"`
	Platform     oasadmin.RobotAssetPlatform     `json:"platform"`
	Architecture oasadmin.RobotAssetArchitecture `json:"architecture"`
	exportedFile
}

func exportedOf(r oasadmin.Resource) exportedResource {
	document := exportedResource{APIVersion: r.APIVersion, Kind: r.Kind, Metadata: r.Metadata, Spec: r.Spec}
	status := exportedStatus{EnvironmentVariables: r.Status.EnvironmentVariables}
	if file := r.Status.Source; file != nil {
		status.Source = &exportedFile{file.Name, file.ContentType, file.ContentLength, file.ContentHash}
	}
	for _, a := range r.Status.Assets {
		status.Assets = append(status.Assets, exportedAsset{
			a.Type, a.Version, a.Platform, a.Architecture,
			exportedFile{a.Name, a.ContentType, a.ContentLength, a.ContentHash},
		})
	}
	if status.Source != nil || len(status.Assets) > 0 || len(status.EnvironmentVariables) > 0 {
		document.Status = &status
	}
	return document
}

// reportStale names the files of the folder that an export of the kinds, all if there are none, would write for resources of the same tenants
// that were not exported: most were deleted since an earlier export.
func reportStale(cmd *cobra.Command, folder string, kinds []oasadmin.ResourceKind, documents []exportedResource, format string) error {
	current := map[string]bool{}
	tenants := map[string]bool{}
	for _, d := range documents {
		current[fileName(d, format)] = true
		tenants[tenantOf(d.Kind, d.Metadata)] = true
	}
	var stale []string
	for tenant := range tenants {
		for _, kind := range resource.Kinds() {
			if len(kinds) > 0 && !slices.Contains(kinds, oasadmin.ResourceKind(kind)) {
				continue
			}
			found, err := fs.Glob(os.DirFS(folder), path.Join(tenant, string(kind), "*."+format))
			if err != nil {
				return fmt.Errorf("reading %s: %w", folder, err)
			}
			stale = append(stale, slices.DeleteFunc(found, func(file string) bool { return current[file] })...)
		}
	}
	if len(stale) > 0 {
		slices.Sort(stale)
		cmd.PrintErrf("not exported, but in the folder from before: %s\n", strings.Join(stale, ", "))
	}
	return nil
}

// fileName returns the path of a document's file in a folder.
func fileName(d exportedResource, format string) string {
	return path.Join(tenantOf(d.Kind, d.Metadata), string(d.Kind), d.Metadata.Code+"."+format)
}

// writeFolder writes a file for each document. No name leads out of the folder,
// whatever the service says.
func writeFolder(cmd *cobra.Command, folder string, out *output, documents []exportedResource) (err error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	written := map[string]bool{}
	for _, d := range documents {
		file := fileName(d, out.format)
		// Some file systems take names that differ in case for the same.
		folded := strings.ToLower(file)
		if written[folded] {
			return fmt.Errorf("two documents have the name %s, apart from case: leave -d out", file)
		}
		written[folded] = true
		if err := root.MkdirAll(path.Dir(file), 0o750); err != nil {
			return err
		}
		var text strings.Builder
		if err := out.write(cmd.Context(), &text, d, nil); err != nil {
			return err
		}
		if err := root.WriteFile(file, []byte(text.String()), privateFile); err != nil {
			return err
		}
	}
	return nil
}
