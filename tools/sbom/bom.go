package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// describeBinary returns the bill of materials of a binary: its build, its modules and the standard library.
func describeBinary(binary string) (*cdx.BOM, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("reading the contents of %s: %w", binary, err)
	}
	hash, err := sha256Of(binary)
	if err != nil {
		return nil, err
	}
	bom := cdx.NewBOM()
	subject := newComponent(info.Main, cdx.ComponentTypeApplication)
	subject.Name = filepath.Base(binary)
	// Several binaries come from one module.
	subject.BOMRef += "#" + info.Path
	subject.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hash}}
	subject.Properties = buildProperties(info)
	bom.Metadata = &cdx.Metadata{Component: &subject}

	std := debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}
	components := []cdx.Component{newComponent(std, cdx.ComponentTypeLibrary)}
	for _, module := range info.Deps {
		// A folder of this repository in place of a module has no name of its own.
		if module.Replace != nil && !strings.HasPrefix(module.Replace.Path, ".") {
			module = module.Replace
		}
		components = append(components, newComponent(*module, cdx.ComponentTypeLibrary))
	}
	bom.Components = &components
	contained := make([]string, 0, len(components))
	for _, c := range components {
		contained = append(contained, c.BOMRef)
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: subject.BOMRef, Dependencies: &contained}}
	return bom, nil
}

// newComponent names a module by its package URL.
func newComponent(module debug.Module, kind cdx.ComponentType) cdx.Component {
	url := "pkg:golang/" + module.Path
	// A build of a checkout has no version.
	if module.Version != "" && module.Version != "(devel)" {
		url += "@" + strings.ReplaceAll(module.Version, "+", "%2B")
	}
	c := cdx.Component{
		BOMRef: url, Type: kind, Name: module.Path, Version: module.Version, PackageURL: url, Scope: cdx.ScopeRequired,
	}
	if note, ok := unmaintained[module.Path]; ok {
		c.Properties = &[]cdx.Property{{Name: "procession:unmaintained", Value: note}}
	}
	return c
}

// unmaintained lists modules without further fixes, each with its status and the modules that require it.
//
//nolint:gochecknoglobals // constant
var unmaintained = map[string]string{
	"github.com/facebookgo/clock": "archived; required by go.temporal.io/sdk",
	"github.com/gogo/protobuf":    "deprecated; required by go.temporal.io/sdk and go.temporal.io/server",
	"github.com/golang/mock":      "archived, succeeded by go.uber.org/mock; required by go.temporal.io/sdk",
	"github.com/robfig/cron":      "not developed since 2021; required by go.temporal.io/sdk",
	"github.com/robfig/cron/v3":   "not developed since 2021; required by go.temporal.io/server",
}

// buildProperties returns the build settings that affect the content of the binary.
func buildProperties(info *debug.BuildInfo) *[]cdx.Property {
	all := []cdx.Property{{Name: "go:package", Value: info.Path}}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "GOOS", "GOARCH", "CGO_ENABLED", "-tags", "vcs.revision", "vcs.time", "vcs.modified":
			all = append(all, cdx.Property{Name: "go:" + setting.Key, Value: setting.Value})
		}
	}
	return &all
}

func sha256Of(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the user names the binary
	if err != nil {
		return "", fmt.Errorf("reading a binary: %w", err)
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
