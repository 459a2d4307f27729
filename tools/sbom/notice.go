package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// program is a part of a release, made of packages of the module in Dir.
type program struct{ Name, Dir, Packages string }

//nolint:gochecknoglobals // constant
var programs = []program{
	{"procession", ".", "./cmd/procession"},
	{"examples", ".", "./examples/..."},
	{"temporal-server", "temporal-server", "."},
}

// npmLock is a lock file of npm packages in a program. Notice is the file with their licence, if it requires a copy.
type npmLock struct{ Path, Program, Notice string }

//nolint:gochecknoglobals // constant
var npmLocks = []npmLock{
	{"console/assets/package-lock.json", "console", ""},
	{"tools/cldr/package-lock.json", "procession", "form/locale/LICENSE-CLDR"},
}

// part is a module or package in a release.
type part struct {
	Name, Version, Licence string
	// Programs are the names of the programs that contain it.
	Programs []string
	// Notice is the text of its NOTICE file; the Apache License requires a copy.
	Notice string
}

var errStale = errors.New("is not current: run make generate")

// updateNotice writes the parts of a release, with their licences, into a file. With
// check it does not write, and returns an error if the file is not current.
func updateNotice(ctx context.Context, path string, check bool) error {
	parts, err := releaseParts(ctx)
	if err != nil {
		return err
	}
	text := renderNotice(parts)
	current, err := os.ReadFile(path) //nolint:gosec // the user names the file
	switch {
	case err == nil && bytes.Equal(current, text):
		return nil
	case check:
		return fmt.Errorf("%s %w", path, errStale)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // it is public
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// releaseParts returns the Go modules of all programs and the npm packages of the
// console, by name and version.
func releaseParts(ctx context.Context) ([]part, error) {
	var parts []part
	for _, lock := range npmLocks {
		packages, err := listPackages(lock)
		if err != nil {
			return nil, err
		}
		parts = append(parts, packages...)
	}
	found := map[string]*part{}
	for _, p := range programs {
		modules, err := listModules(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("listing modules of %s: %w", p.Name, err)
		}
		for _, m := range modules {
			key := m.Name + "@" + m.Version
			if found[key] == nil {
				found[key] = &m
			}
			found[key].Programs = append(found[key].Programs, p.Name)
		}
	}
	for _, p := range found {
		parts = append(parts, *p)
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	return parts, nil
}

// listModules returns the modules that are linked into a program for the images, which
// are Linux on x86-64. Modules of this repository have no version and are left out.
func listModules(ctx context.Context, p program) ([]part, error) {
	const named = "{{.Path}}\t{{.Version}}\t{{.Dir}}"
	const format = "{{with .Module}}{{with .Replace}}" + named + "{{else}}" + named + "{{end}}{{end}}"
	cmd := exec.CommandContext(ctx, "go", "-C", p.Dir, "list", "-deps", "-f", format, p.Packages) //nolint:gosec // constants
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running go list: %w", err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		version, dir, _ := strings.Cut(rest, "\t")
		if version != "" {
			dirs[path+"\t"+version] = dir
		}
	}
	var modules []part
	var faults []error
	for _, module := range slices.Sorted(maps.Keys(dirs)) {
		var m part
		m.Name, m.Version, _ = strings.Cut(module, "\t")
		m.Licence, m.Notice, err = readLicences(os.DirFS(dirs[module]))
		if reason, ok := unlicensed[m.Name]; ok && errors.Is(err, errNoLicence) {
			m.Licence, err = "no licence file: "+reason, nil
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("module %s: %w", m.Name, err))
		}
		modules = append(modules, m)
	}
	return modules, errors.Join(faults...)
}

// listPackages returns the packages of a lock file that are no tools. The first one has the notice.
func listPackages(from npmLock) ([]part, error) {
	text, err := os.ReadFile(from.Path)
	if err != nil {
		return nil, fmt.Errorf("reading packages of npm: %w", err)
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("parsing %s: %w", from.Path, err)
	}
	var packages []part
	for at, p := range lock.Packages {
		_, name, installed := strings.Cut(at, "node_modules/")
		if !installed || p.Dev {
			continue
		}
		if p.License == "" {
			return nil, fmt.Errorf("package %s: %w", name, errNoLicence)
		}
		packages = append(packages, part{Name: name, Version: p.Version, Licence: p.License, Programs: []string{from.Program}})
	}
	if from.Notice == "" {
		return packages, nil
	}
	notice, err := os.ReadFile(from.Notice)
	if err != nil {
		return nil, fmt.Errorf("reading a licence: %w", err)
	}
	slices.SortFunc(packages, func(a, b part) int { return cmp.Compare(a.Name, b.Name) })
	packages[0].Notice = strings.TrimSpace(string(notice))
	return packages, nil
}

func renderNotice(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString("Procession contains the software below; console is the part of procession that browsers load.\n" +
		"make generate writes this file.\n\n")
	for _, p := range parts {
		fmt.Fprintf(&b, "%s %s: %s (%s)\n", p.Name, p.Version, p.Licence, strings.Join(p.Programs, ", "))
	}
	for _, p := range parts {
		if p.Notice != "" {
			fmt.Fprintf(&b, "\n---- %s %s ----\n\n%s\n", p.Name, p.Version, p.Notice)
		}
	}
	return b.Bytes()
}
