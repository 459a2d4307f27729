package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

var errNoLicence = errors.New("no known licence: read its licence, and add it to tools/sbom/licence.go if it is acceptable")

// licencePhrases are phrases that a text of the licence with the SPDX identifier
// contains, without regard to case and white space.
//
//nolint:gochecknoglobals // constant
var licencePhrases = map[string][]string{
	"Apache-2.0":   {"apache license", "version 2.0"},
	"BSD-2-Clause": {"redistribution and use in source and binary forms"},
	"BSD-3-Clause": {"redistribution and use in source and binary forms", "neither the name"},
	"ISC":          {"permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"},
	"MIT":          {"permission is hereby granted, free of charge, to any person obtaining a copy"},
	"MPL-2.0":      {"mozilla public license", "version 2.0"},
}

// unlicensed are modules without a licence file, each with the reason why it is accepted.
//
//nolint:gochecknoglobals // constant
var unlicensed = map[string]string{
	"github.com/cactus/go-statsd-client/statsd":    "a folder of a repository that is MIT",
	"github.com/nexus-rpc/nexus-proto-annotations": "published by Temporal as a part of go.temporal.io/api, which is MIT",
}

// readLicences returns the SPDX expression of the licences in the files of a module, and
// the text of its NOTICE file.
func readLicences(module fs.FS) (licence, notice string, err error) {
	entries, err := fs.ReadDir(module, ".")
	if err != nil {
		return "", "", fmt.Errorf("reading licences: %w", err)
	}
	found := map[string]bool{}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		isLicence := strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING")
		isNotice := name == "NOTICE" || strings.HasPrefix(name, "NOTICE.")
		if entry.IsDir() || !isLicence && !isNotice {
			continue
		}
		text, err := fs.ReadFile(module, entry.Name())
		if err != nil {
			return "", "", fmt.Errorf("reading licences: %w", err)
		}
		if isNotice {
			notice = strings.TrimSpace(strings.ReplaceAll(string(text), "\r", ""))
			continue
		}
		for _, id := range identifyLicences(string(text)) {
			found[id] = true
		}
	}
	if len(found) == 0 {
		return "", "", errNoLicence
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND "), notice, nil
}

// identifyLicences returns the SPDX identifiers of the licences in a text.
func identifyLicences(text string) []string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	var ids []string
	for id, phrases := range licencePhrases {
		if !slices.ContainsFunc(phrases, func(phrase string) bool { return !strings.Contains(text, phrase) }) {
			ids = append(ids, id)
		}
	}
	if slices.Contains(ids, "BSD-3-Clause") {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "BSD-2-Clause" })
	}
	return ids
}
