package main

import (
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/procession-dev/procession/devstack/demo"
)

//go:embed scripts
var scripts embed.FS

// script is a pgbench script with the statements of a request, repeated with fresh
// ids.
type script struct {
	text                   string
	statements, roundTrips int
}

func readScript(name string) (script, error) {
	content, err := scripts.ReadFile("scripts/" + name + ".sql")
	if err != nil {
		return script{}, fmt.Errorf("reading a pgbench script: %w", err)
	}
	text := string(content)
	return script{
		text: text, statements: strings.Count(text, ";\n"), roundTrips: strings.Count(text, `\startpipeline`),
	}, nil
}

// freshKinds is how many kinds of ids a script makes at most.
const freshKinds = 4

// scriptVariables returns the variables of the scripts. Fresh ids are of the kinds that follow
// freshKind.
func (s *stack) scriptVariables(ctx context.Context, freshKind int) (map[string]string, error) {
	values := map[string]string{
		"base": strconv.Itoa(subjectBase), "stride": strconv.Itoa(subjectStride), "lane": strconv.Itoa(workLane),
		"alice": demo.Alice().ID.String(), "tenant": demo.TenantDemo().String(), "tenants": "{" + demo.TenantDemo().String() + "}",
		"definition": demo.Onboarding().String(), "now": time.Now().UTC().Format(time.RFC3339Nano),
		"process": idPrefix(kindProcess), "task_process": idPrefix(kindTaskProcess), "item": idPrefix(kindItem),
	}
	for i := range freshKinds {
		values["fresh"+strconv.Itoa(i+1)] = idPrefix(freshKind + i)
	}
	var version string
	err := s.pool.QueryRow(ctx, "SELECT published_version::text FROM process_definitions WHERE id = $1", demo.Onboarding()).Scan(&version)
	if err != nil {
		return nil, fmt.Errorf("reading the version of a definition: %w", err)
	}
	values["version"] = version
	return values, nil
}
