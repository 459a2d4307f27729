package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"testing/fstest"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

func TestReadLicencesIdentifiesFiles(t *testing.T) {
	t.Parallel()
	const mit = "Permission is hereby granted, free of charge,\n to any person obtaining a copy"
	const bsd = "Redistribution and use in source and\tbinary forms, with or without modification"
	for _, test := range []struct {
		name    string
		files   map[string]string
		licence string
		notice  string
	}{
		{"one licence", map[string]string{"LICENSE": mit}, "MIT", ""},
		{"another spelling", map[string]string{"Licence.md": mit}, "MIT", ""},
		{"two files", map[string]string{"LICENSE-APACHE": "Apache License\nVersion 2.0", "LICENSE-MIT": mit}, "Apache-2.0 AND MIT", ""},
		{"two clauses", map[string]string{"COPYING": bsd}, "BSD-2-Clause", ""},
		{"three clauses", map[string]string{"COPYING": bsd + "; neither the name of"}, "BSD-3-Clause", ""},
		{"a notice", map[string]string{"LICENSE": mit, "NOTICE.txt": "\nby A\r\nand B\n"}, "MIT", "by A\nand B"},
	} {
		module := fstest.MapFS{"folder/LICENSE": {Data: []byte(mit)}}
		for name, text := range test.files {
			module[name] = &fstest.MapFile{Data: []byte(text)}
		}
		licence, notice, err := readLicences(module)
		require.NoError(t, err, test.name)
		require.Equal(t, test.licence, licence, test.name)
		require.Equal(t, test.notice, notice, test.name)
	}
	for _, text := range []string{"", "All rights reserved", "GNU General Public License"} {
		_, _, err := readLicences(fstest.MapFS{"LICENSE": {Data: []byte(text)}})
		require.ErrorIs(t, err, errNoLicence, text)
	}
}

func TestListPackagesLeavesOutTools(t *testing.T) {
	t.Parallel()
	lock := filepath.Join(t.TempDir(), "package-lock.json")
	write := func(text string) { require.NoError(t, os.WriteFile(lock, []byte(text), 0o600)) }
	write(`{"packages":{"":{"license":"UNLICENSED"},"node_modules/@a/b":{"version":"1.2.0","license":"MIT"},
		"node_modules/tool":{"version":"1.0.0","dev":true}}}`)
	packages, err := listPackages(npmLock{Path: lock, Program: "console"})
	require.NoError(t, err)
	require.Equal(t, []part{{Name: "@a/b", Version: "1.2.0", Licence: "MIT", Programs: []string{"console"}}}, packages)
	write(`{"packages":{"node_modules/a":{"version":"1.2.0"}}}`)
	_, err = listPackages(npmLock{Path: lock, Program: "console"})
	require.ErrorIs(t, err, errNoLicence)
}

func TestRenderNoticeListsPartsAndTheirNotices(t *testing.T) {
	t.Parallel()
	text := string(renderNotice([]part{
		{Name: "a.example/a", Version: "v1.0.0", Licence: "MIT", Programs: []string{"procession", "examples"}},
		{Name: "b", Version: "2.0.0", Licence: "Apache-2.0", Programs: []string{"console"}, Notice: "by B"},
	}))
	require.Contains(t, text, "\na.example/a v1.0.0: MIT (procession, examples)\nb 2.0.0: Apache-2.0 (console)\n")
	require.Contains(t, text, "\n---- b 2.0.0 ----\n\nby B\n")
}

func TestUnmaintainedModulesAreNoted(t *testing.T) {
	t.Parallel()
	noted := newComponent(debug.Module{Path: "github.com/gogo/protobuf", Version: "v1.3.2"}, cdx.ComponentTypeLibrary)
	require.Contains(t, (*noted.Properties)[0].Value, "deprecated")
	require.Nil(t, newComponent(debug.Module{Path: "github.com/google/uuid"}, cdx.ComponentTypeLibrary).Properties)
}
