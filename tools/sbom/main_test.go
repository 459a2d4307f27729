package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

// loan is a binary of this module that is quick to link.
const loan = "github.com/procession-dev/procession/examples/loan"

func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func TestTheBillNamesEveryModuleInTheBinary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "loan-worker")
	goTool(t, "build", "-o", binary, loan)
	path, err := writeBill(filepath.Join(dir, "dist"), binary)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "dist", "loan-worker.cdx.json"), path)

	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(file, cdx.BOMFileFormatJSON).Decode(&bom))
	require.Equal(t, cdx.SpecVersion1_6, bom.SpecVersion)
	content, err := os.ReadFile(binary)
	require.NoError(t, err)
	sum := sha256.Sum256(content)
	require.Equal(t, hex.EncodeToString(sum[:]), (*bom.Metadata.Component.Hashes)[0].Value)

	named := map[string]string{}
	for _, c := range *bom.Components {
		named[c.Name] = c.Version
		require.Equal(t, "pkg:golang/"+c.Name+"@"+strings.ReplaceAll(c.Version, "+", "%2B"), c.PackageURL)
	}
	require.NotEmpty(t, named["std"], "the standard library has weaknesses of its own")
	delete(named, "std")
	linked := map[string]string{}
	const module = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}"
	for line := range strings.Lines(goTool(t, "list", "-deps", "-f", module, loan)) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			linked[name] = version
		}
	}
	require.Contains(t, linked, "go.temporal.io/sdk")
	require.Contains(t, linked, "google.golang.org/grpc")
	require.Equal(t, linked, named)
}

func TestTheSameBinaryMakesTheSameBill(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	require.NoError(t, err)
	var bills [2]string
	for i := range bills {
		path, err := writeBill(t.TempDir(), binary)
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		bills[i] = string(content)
	}
	require.Equal(t, bills[0], bills[1])
}

func TestAFileThatIsNoBinaryIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	_, err := writeBill(t.TempDir(), file)
	require.ErrorContains(t, err, file)
}
