package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestApplyingTwiceReportsUnchanged(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"testdata/north", "../examples/demo"} {
		w := newTerminal(t)
		first := w.runs("apply", "-f", folder)
		require.NoError(t, first.err)
		lines := strings.Split(strings.TrimSpace(first.stdout), "\n")
		require.Greater(t, len(lines), 9)
		for _, line := range lines {
			require.Regexp(t, `^([a-z]+/)?[A-Za-z]+/[A-Za-z_-]+ created$`, line)
		}
		state := w.allResources()
		again := w.runs("apply", "-f", folder)
		require.NoError(t, again.err)
		require.Equal(t, strings.ReplaceAll(first.stdout, " created\n", " unchanged\n"), again.stdout)
		require.Regexp(t, `(?m)^0 created, 0 configured, 0 deleted, [0-9]+ unchanged\n$`, again.stderr)
		require.Equal(t, state, w.allResources())
		require.Empty(t, w.succeeds("diff", "-f", folder))
	}
}

func TestApplyReportsTheResultOfEachDocument(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	documents := group("NEW", "") + "---\n" + strings.Replace(group("REVIEWERS", ""), "app: more", "app: loans", 1)
	before := w.allResources()
	dry := w.withInput(documents).runs("apply", "-f", "-", "--dry-run")
	require.NoError(t, dry.err)
	require.Equal(t, "Group/NEW created (dry run)\nGroup/REVIEWERS configured (dry run)\n", dry.stdout)
	require.Equal(t, "1 created, 1 configured, 0 deleted, 0 unchanged (dry run)\n", dry.stderr)
	require.Equal(t, before, w.allResources())

	require.Equal(t, "Group/NEW created\nGroup/REVIEWERS configured\n", w.withInput(documents).succeeds("apply", "-f", "-"))
	require.Equal(t, "Group/NEW unchanged\nGroup/REVIEWERS unchanged\nTenant/north unchanged\n",
		w.withInput(documents).succeeds("apply", "-f", "-", "-f", "testdata/north/tenant.yaml"))

	w = w.as(w.operator)
	require.Equal(t, "north/Group/NEW unchanged\nhome/Group/NEW created\n", w.withInput(group("NEW", "")+"---\n"+
		strings.Replace(group("NEW", ""), "north", "home", 1)).succeeds("apply", "-f", "-"))
}

func TestApplyReportsWrongManifestsWithTheirPlace(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	before := w.allResources()
	good := w.writeFile("good.yaml", group("GOOD", ""))
	for name, c := range map[string]struct{ document, message string }{
		"unknown member":      {group("WRONG", "  title: x\n"), `:6:3: Group/WRONG spec.title: `},
		"missing member":      {group("WRONG", "  members:\n    - user: absent\n"), `:7:7: Group/WRONG spec.members[0]`},
		"another tenant":      {strings.Replace(group("WRONG", ""), "north", "south", 1), `:3:25: Group/WRONG metadata.tenant: `},
		"a schema that is no": {structure("{type: objekt}"), `:6:12: DataStructure/WRONG spec.schema.type: `},
		"a remote schema":     {structure(`{$ref: "https://schemas.example/x.json"}`), `:6:12: DataStructure/WRONG spec.schema.$ref: `},
	} {
		path := w.writeFile("wrong.yaml", c.document)
		output := w.fails(cli.ExitUsage, "apply", "-f", good, "-f", path)
		require.Contains(t, output, "\n"+path+c.message, name)
		require.Equal(t, output, w.fails(cli.ExitUsage, "diff", "-f", good, "-f", path))
		require.Equal(t, output, w.fails(cli.ExitUsage, "apply", "-f", good, "-f", path, "--dry-run"))
		require.Equal(t, before, w.allResources())
	}

	// All mistakes are reported at once, wherever they are.
	output := w.withInput(structure("{type: objekt}")).fails(
		cli.ExitUsage, "apply", "-f", w.writeFile("one.yaml", group("ONE", "  a: 1\n  b: 2\n")), "-f", "-")
	require.Len(t, strings.Split(output, "\n"), 4, output)
	require.Contains(t, output, "\n-:6:12: DataStructure/WRONG spec.schema.type: ")
}

// One response reports invalid members, unknown tenants, missing references and refused URLs.
func TestApplyReportsAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	before := w.allResources()
	const head = "apiVersion: procession/v1\n"
	path := w.writeFile("wrong.yaml", strings.Join([]string{
		group("ONE", "  a: 1\n  members:\n    - user: absent\n"),
		strings.Replace(group("TWO", "  members:\n    - user: absent\n"), "north", "south", 1),
		head + "kind: WebhookSubscription\nmetadata: {code: HOOK, tenant: north}\nspec:\n  name: Hook\n  url: http://localhost/\n" +
			"  processDefinition: ABSENT\n",
		head + "kind: Tenant\nmetadata: {code: acme}\nspec: {name: Acme}\n",
	}, "---\n"))
	output := w.fails(cli.ExitUsage, "apply", "-f", path)
	require.Equal(t, []string{
		"the documents are not valid",
		path + `:6:3: Group/ONE spec.a: is not a member of Group, which has members and name`,
		path + `:8:7: Group/ONE spec.members[0].user: there is no User absent in the tenant north`,
		path + `:12:23: Group/TWO metadata.tenant: "south" is not a tenant that you belong to`,
		path + `:24:3: WebhookSubscription/HOOK spec.processDefinition: there is no ProcessDefinition ABSENT in the tenant north`,
		path + `:23:3: WebhookSubscription/HOOK spec.url: has an address that the operator does not allow with --webhook-allow: loopback`,
		path + `:28:12: Tenant/acme metadata.code: "acme" is not a tenant that you belong to; only operators create tenants`,
	}, strings.Split(output, "\n"))
	require.Equal(t, before, w.allResources())

	// References are not checked while a manifest is unreadable: it may contain their targets.
	output = w.withInput(group("ONE", "  members:\n    - user: new\n")+"---\n"+head+"kind: Usr\nmetadata: {code: new, tenant: north}\n").
		fails(cli.ExitUsage, "apply", "-f", "-")
	require.Len(t, strings.Split(output, "\n"), 2, output)
	// The error does not disclose resources to a caller who may not apply.
	output = w.as(memberToken).fails(cli.ExitUsage, "apply", "-f", w.writeFile("one.yaml", group("ONE", "  a: 1\n  members:\n    - user: absent\n")))
	require.Len(t, strings.Split(output, "\n"), 2, output)
}

func structure(schema string) string {
	return "apiVersion: procession/v1\nkind: DataStructure\nmetadata: {code: WRONG, tenant: north}\nspec:\n  name: Wrong\n  schema: " +
		schema + "\n"
}

func TestUnreadableDocuments(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	broken, twice := w.writeFile("broken.yaml", "a: [\n"), w.writeFile("twice.yaml", "a: 1\na: 2\n")
	output := w.fails(cli.ExitUsage, "apply", "-f", broken, "-f", twice, "-f", "testdata/nowhere")
	for _, place := range []string{broken + ":1:5: is not YAML: a value, or the end of a [ or {, is missing", twice + ":2", "testdata/nowhere: no such file"} {
		require.Contains(t, output, place)
	}
	require.Contains(t, w.withInput("").fails(cli.ExitUsage, "apply", "-f", "-"), "-: contains no document")
}

func TestPruneDeletesResourcesWithoutADocument(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	w.withInput(group("ONE", "")+"---\n"+group("TWO", "")).succeeds("apply", "-f", "-")
	before := w.allResources()
	one := w.writeFile("one.yaml", group("ONE", ""))
	prune := []string{"apply", "-f", one, "--prune", "-l", "app=more"}
	require.Equal(t, "Group/ONE unchanged (dry run)\nGroup/TWO deleted (dry run)\n",
		w.succeeds(append(prune, "--dry-run")...))
	require.Equal(t, before, w.allResources())
	o := w.runs("diff", "-f", one, "--prune", "-l", "app=more")
	require.ErrorIs(t, o.err, cli.ErrDifferences)
	require.Contains(t, o.stdout, "--- Group/TWO\n+++ /dev/null\n")

	require.Equal(t, "Group/ONE unchanged\nGroup/TWO deleted\n", w.succeeds(prune...))
	w.fails(cli.ExitNotFound, "get", "group", "TWO")
	require.Equal(t, "Group/ONE unchanged\n", w.succeeds(append(prune, "--tenant", "north")...))

	// Prune keeps resources that a remaining definition refers to.
	before = w.allResources()
	require.Contains(t, w.fails(cli.ExitConflict, "apply", "-f", one, "--prune", "-l", "part=messages"),
		"ProcessDefinition LOAN needs DataStructure ADDRESS")
	require.Equal(t, before, w.allResources())

	for _, wrong := range [][]string{
		{"--prune"},
		{"--prune", "-l", "app"},
		{"-l", "app=more"},
		{"--tenant", "north"},
		{"--prune", "-l", "app=more", "--tenant", "elsewhere"},
		{"--prune", "-l", "app=more", "-f", w.writeFile("x.yaml", "kind: Group\nmetadata: {code: X, tenant: south}\n")},
	} {
		w.fails(cli.ExitUsage, append([]string{"apply", "-f", one}, wrong...)...)
	}
}

func TestDiffIsUnified(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	before := w.allResources()
	changed := strings.Replace(group("REVIEWERS", "  members:\n    - user: member\n    - user: owner\n"), "app: more", "app: loans", 1)
	o := w.withInput(changed+"---\n"+group("NEW", "")).runs("diff", "-f", "-", "-f", "testdata/north/tenant.yaml")
	require.ErrorIs(t, o.err, cli.ErrDifferences)
	require.Equal(t, cli.ExitFailure, o.exitCode())
	requireGolden(t, "diff.txt", o.stdout)
	require.Empty(t, o.stderr)
	require.Equal(t, before, w.allResources())
}
