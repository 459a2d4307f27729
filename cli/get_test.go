package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestOutputFormats(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	for file, args := range map[string][]string{
		"get-all.txt":          {"get", "all"},
		"get-users.txt":        {"get", "users"},
		"get-two.txt":          {"get", "group,process", "LOAN", "REVIEWERS"},
		"get-groups.name":      {"get", "groups", "-o", "name"},
		"get-groups-wide.txt":  {"get", "groups", "-o", "wide"},
		"get-label.txt":        {"get", "all", "-l", "app=loans,part=messages"},
		"get-structure.json":   {"get", "datastructure", "ADDRESS", "-o", "json"},
		"get-structures.json":  {"get", "ds", "-o", "json"},
		"get-group.yaml":       {"get", "group", "REVIEWERS", "-o", "yaml"},
		"get-several.yaml":     {"get", "robots,webhooks", "-o", "yaml"},
		"describe-process.txt": {"describe", "proc", "LOAN"},
		"describe-user.txt":    {"describe", "user", "member"},
		"describe-app.txt":     {"describe", "app", "worker", "--tenant", "north"},
		"describe-group.txt":   {"describe", "group", "REVIEWERS"},
		"describe-tenant.txt":  {"describe", "tenant", "north"},
		"whoami.txt":           {"whoami"},
		"whoami.yaml":          {"whoami", "-o", "yaml"},
		"secrets.txt":          {"secrets", "list", "user", "member"},
		"export.yaml":          {"export", "groups", "structures"},
	} {
		requireGolden(t, file, w.succeeds(args...))
	}
	requireGolden(t, "whoami-operator.txt", w.as(w.operator).succeeds("whoami"))
	requireGolden(t, "get-tenants.txt", w.as(w.operator).succeeds("get", "tenants"))
	requireGolden(t, "get-users-of-two.txt", w.as(w.operator).succeeds("get", "users"))
}

func TestJQ(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	for expression, printed := range map[string]string{
		".spec.schema.properties.HEIGHT.maximum": "100000000000000000000000000000000000000001\n",
		".metadata.code":                         "ADDRESS\n",
		".metadata.labels":                       `{"app":"loans","part":"messages"}` + "\n",
		".metadata.code, .kind":                  "ADDRESS\nDataStructure\n",
		"empty":                                  "",
		"env | length":                           "0\n",
		"halt":                                   "",
	} {
		require.Equal(t, printed, w.succeeds("get", "structure", "ADDRESS", "-o", "jq="+expression), expression)
	}
	require.Equal(t, "north\n", w.succeeds("whoami", "-o", "jq=.memberships[].tenantCode"))
	require.Equal(t, "3\n", w.succeeds("get", "users", "-o", "jq=length"))
	require.Contains(t, w.fails(cli.ExitUsage, "get", "users", "-o", "jq=.["), "jq expression")
	require.Contains(t, w.fails(cli.ExitUsage, "get", "users", "-o", "jq=nothing"), "nothing")
	require.Contains(t, w.fails(cli.ExitFailure, "get", "users", "-o", `jq=error("it")`), "it")
	for _, wrong := range []string{"", "xml", "jq", "table=x", "jsonpath={}"} {
		require.Contains(t, w.fails(cli.ExitUsage, "get", "users", "-o", wrong), "table, wide, json, yaml, jq=EXPR, name")
	}
}

func TestGetWithoutResults(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.runs("get", "users", "-l", "no=label")
	require.NoError(t, o.err)
	require.Empty(t, o.stdout)
	require.Equal(t, "no resources\n", o.stderr)
	require.Equal(t, "[]\n", w.succeeds("get", "users", "-l", "no=label", "-o", "json"))
	require.Equal(t, "[]\n", w.succeeds("get", "users", "-l", "no=label", "-o", "yaml"))
	require.Equal(t, "0\n", w.succeeds("get", "users", "-l", "no=label", "-o", "jq=length"))

	require.Equal(t, "User/absent not found", w.fails(cli.ExitNotFound, "get", "user", "absent"))
	require.Equal(t, "Group/absent not found", w.fails(cli.ExitNotFound, "describe", "group", "absent"))
	require.Equal(t, "User/operator not found", w.fails(cli.ExitNotFound, "get", "user", "operator", "--tenant", "home"))
	// The ones that are there are shown all the same.
	o = w.runs("get", "user", "owner", "absent", "-o", "jq=.[].metadata.code")
	require.Equal(t, cli.ExitNotFound, o.exitCode())
	require.Equal(t, "owner\n", o.stdout)
	// A caller without administration rights gets the reason for an empty list.
	require.Equal(t, "only owners and administrators see the resources of a tenant; you are MEMBER of north",
		w.as(memberToken).fails(cli.ExitDenied, "get", "all"))
	for _, token := range []string{w.operator, ownerToken} {
		require.Equal(t, "Tenant/nope not found", w.as(token).fails(cli.ExitNotFound, "get", "users", "--tenant", "nope", "-o", "json"))
		require.Equal(t, "Tenant/nope not found", w.as(token).fails(cli.ExitNotFound, "workers", "--tenant", "nope"))
	}
	require.Equal(t, "[]\n", w.as(w.operator).succeeds("get", "robots", "-l", "no=label", "--tenant", "north", "-o", "json"))
	require.Contains(t, w.fails(cli.ExitUsage, "get", "users", "-l", "team!=load"), `"team!=load" is not key=value`)
}

func TestSimilarNamesAreSuggested(t *testing.T) {
	t.Parallel()
	w := newTerminal(t)
	require.Equal(t, `"gruop" is not a kind of resource; did you mean group?`, w.fails(cli.ExitUsage, "get", "gruop"))
	require.Equal(t, `procession incidents has no command "retri"; did you mean retry?`, w.fails(cli.ExitUsage, "incidents", "retri"))
	require.Contains(t, w.fails(cli.ExitUsage, "get", "artefacts"), "did you mean artifacts?")
}

func TestLimit(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.runs("get", "users", "--limit", "2", "-o", "jq=.[].metadata.code")
	require.NoError(t, o.err)
	require.Equal(t, "administrator\nmember\n", o.stdout)
	require.Equal(t, "there are more: --limit 2\n", o.stderr)
	o = w.runs("get", "users", "--limit", "3", "-o", "jq=length")
	require.Equal(t, "3\n", o.stdout)
	require.Empty(t, o.stderr)
}

func TestKindsHaveNames(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	for kind, names := range map[string][]string{
		"Tenant":                     {"tenant", "tenants", "TENANT"},
		"User":                       {"user", "Users"},
		"Application":                {"application", "applications", "app", "apps"},
		"Group":                      {"group", "groups"},
		"DataStructure":              {"datastructure", "datastructures", "DataStructure", "structure", "ds"},
		"EncryptionKey":              {"encryptionkey", "encryptionkeys", "key", "keys", "ek"},
		"ProcessDefinition":          {"processdefinition", "processdefinitions", "process", "processes", "proc", "procs", "pd"},
		"BusinessArtifactDefinition": {"businessartifactdefinition", "businessartifactdefinitions", "artifact", "artifacts"},
		"WebhookSubscription":        {"webhooksubscription", "webhooksubscriptions", "webhook", "webhooks", "wh"},
		"Robot":                      {"robot", "robots"},
	} {
		for _, name := range names {
			require.Equal(t, kind+"\n", w.succeeds("get", name, "-o", "jq=map(.kind)|unique[]"), name)
		}
	}
	require.Contains(t, w.fails(cli.ExitUsage, "get", "cats"), `"cats" is not a kind`)
	require.Contains(t, w.fails(cli.ExitUsage, "get", "users,cats"), `"cats" is not a kind`)
	require.Contains(t, w.fails(cli.ExitUsage, "describe", "all", "x"), `"all" is not a kind`)
}

func TestDescribeNamesTheLastEditor(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	w.as(administratorToken).withInput(group("NEW", "")).succeeds("apply", "-f", "-")
	require.Contains(t, w.succeeds("describe", "group", "NEW"), "Created:  2026-03-02T10:30:00Z by User/administrator\n")
	// An administrator may list the owner's tokens, but not change them.
	require.Contains(t, w.as(administratorToken).succeeds("describe", "user", "owner"), "laptop")
}

// Administrators of one process definition see it, and no more.
func TestDescribeForDefinitionAdministrators(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	w.withInput("apiVersion: procession/v1\nkind: ProcessDefinition\nmetadata: {code: MINE, tenant: north}\nspec:\n  name: Mine\n"+
		"  permissions: {initiators: [{user: owner}], administrators: [{user: member}]}\n").succeeds("apply", "-f", "-")
	w = w.as(memberToken)
	require.Equal(t, "MINE\n", w.succeeds("get", "all", "-o", "jq=.[].metadata.code"))
	described := w.succeeds("describe", "process", "MINE")
	require.Contains(t, described, "change the definition  user member\n")
	require.Regexp(t, `(?m)^  1 +[0-9a-f-]{36} +Mine +yes +0 `, described)
	require.Equal(t, "ProcessDefinition/LOAN not found", w.fails(cli.ExitNotFound, "describe", "process", "LOAN"))
}
