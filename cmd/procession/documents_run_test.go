package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/itchyny/gojq"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/procession-dev/procession/devstack/demo"
	data "github.com/procession-dev/procession/examples/demo"
)

// asJQ makes the test binary behave as jq, as far as documents use it.
const asJQ = "PROCESSION_TEST_AS_JQ"

// shown is how a block of commands in a document is run.
type shown struct {
	// without says why it is not run.
	without string
	// values take the place of words that stand for something, one after the other where there are several; the last is
	// used again. They are texts of the shell.
	values map[string][]string
	// before and after are commands around the block.
	before, after string
}

// The commands that documents show can be run as they are, one block after the other, on a stack with addresses of its own.
func TestBlocksOfDocuments(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	run := newDocumentRun(s)
	blocks := run.blocks()
	for _, document := range []string{
		"README.md", "docs/rest.md", "examples/demo/README.md", "examples/data-source/README.md", "examples/webhook-receiver/README.md",
		"examples/inspection/README.md", "examples/loan/README.md", "docs/administration.md", "docs/process-definitions.md",
		"docs/workers.md", "docs/recipes.md", "docs/operations.md",
	} {
		raw, err := os.ReadFile("../../" + document)
		require.NoError(t, err)
		for _, block := range fencedIn(raw, "sh") {
			first, _, _ := strings.Cut(block, "\n")
			first, _, _ = strings.Cut(first, "  ")
			how, ok := blocks[document+": "+first]
			require.True(t, ok, "%s: how is the block that begins with %q run?", document, first)
			delete(blocks, document+": "+first)
			if how.without == "" {
				run.execute(document, block, how)
			}
		}
	}
	require.Empty(t, blocks, "blocks that no document has")
}

// blocks returns how each block is run, by its document and the first command.
func (r *documentRun) blocks() map[string]shown { //nolint:funlen // most of it is a table
	listed := func(what, jq string) string { return "$(procession " + what + " -o 'jq=" + jq + "')" }
	failed := r.incidents(3)
	incidents := map[string][]string{"INCIDENT": failed, "PROCESS": {r.process}}
	const issued = `.[] | select(.name == "2027") | .id`
	engine := listed("access list", ".[0].id")
	return map[string]shown{
		"README.md: make run": {without: "the test's own stack runs"},
		"README.md: export PROCESSION_TOKEN=demo-token-alice": {values: incidents},
		"README.md: bin/procession get all":                   {},

		"docs/rest.md: API=http://127.0.0.1:8080/v2024-06-14": {},
		"docs/rest.md: curl -N -H 'Authorization: Bearer demo-token-alice' \"$API/events\"": {
			before: "API=$PROCESSION_SERVER/v2024-06-14; curl() { command curl --max-time 1 \"$@\" || [ $? = 28 ]; }",
		},

		"examples/demo/README.md: export PROCESSION_TOKEN=demo-token-alice":        {},
		"examples/data-source/README.md: export PROCESSION_TOKEN=demo-token-alice": {},
		"examples/data-source/README.md: API=http://127.0.0.1:8080/v2024-06-14":    {},
		"examples/webhook-receiver/README.md: make run":                            {},
		"examples/inspection/README.md: make run": {
			before: "export INSPECTION_WORKER_CLIENT_ID=" + demo.LoanWorker().ID.String() + " INSPECTION_WORKER_CLIENT_SECRET=" +
				demo.LoanWorker().Secret + "; go run ./examples/inspection",
		},
		"examples/inspection/README.md: export INSPECTION_WORKER_CLIENT_ID=01970000-0000-7000-8000-00000000a001": {},
		"examples/loan/README.md: make run WORKER=none":                                                          {},

		"docs/administration.md: procession bootstrap --config procession.yaml --tenant acme --email you@your.domain > token": {
			without: "it takes an empty database: TestBootstrapMakesTheFirstTenantOnce",
		},
		"docs/administration.md: procession operators list": {
			values: map[string][]string{"you@your.domain": {demo.Bob().Email}, "a.user@your.domain": {demo.Carol().Email}},
			before: "procession operators add --email " + demo.Bob().Email + "; procession operators add --email " + demo.Alice().Email,
			after:  "procession people enable --email " + demo.Carol().Email,
		},
		"docs/administration.md: procession apply -f folder/":  {},
		"docs/administration.md: procession sessions list bob": {},
		"docs/administration.md: procession delete user erin --hand-over user/bob": {
			without: "it deletes people: TestWorkOfPeopleWhoLeave of the command line",
		},
		"docs/administration.md: procession rights export > rights.csv": {after: "grep -q APPROVE_LOAN rights.csv"},
		"docs/administration.md: procession versions list LOAN":         {without: "restoring asks at a terminal: TestVersions of the command line"},
		"docs/administration.md: procession context add production --server https://procession.example --tenant acme": {
			without: "it takes an issuer: TestLogin and TestContexts of the command line",
		},
		"docs/administration.md: procession start LOAN --metadata FIRST_NAME=Carol --watch": {
			without: "it watches until the process ends: TestChangesAreWatched of the command line",
		},
		"docs/administration.md: procession tasks list --definition LOAN": {
			values: map[string][]string{"PROCESS": {r.process}}, after: "test -s report.txt && test -s process.zip",
		},
		`docs/administration.md: procession actions evaluate '${ .tasks.APPROVE_LOAN.state == "READY" }' --process ID`: {
			values: map[string][]string{"ID": {r.process}, "PROCESS": {r.process}, "PRINCIPAL": {demo.Carol().ID.String()}},
		},
		"docs/administration.md: procession secrets issue Application loan-worker --name 2027 > secret": {
			values: map[string][]string{"ID": {listed("secrets list Application loan-worker", issued)}},
		},
		"docs/administration.md: procession directory token create --tenant demo --name entra > token": {
			values: map[string][]string{"ID": {listed("directory token list --tenant demo", ".[0].id")}},
		},
		"docs/administration.md: procession secrets issue webhook EVENTS --name 2027": {before: "procession apply -f events.yaml"},
		"docs/administration.md: procession receivers test OPS": {
			without: "it takes a receiver: TestReceiversAreTested of the console",
		},
		"docs/administration.md: procession bulk kinds": {without: "TestBulk of the command line and TestKilledAmidBulkOperations run them"},
		"docs/administration.md: procession robots upload-source KYC_BOT kyc-bot.zip": {
			values: map[string][]string{"...": {"--version 20.0.0 --platform LINUX --architecture X86_64"}},
		},

		"docs/process-definitions.md: procession apply -f travel.yaml --dry-run": {},
		"docs/process-definitions.md: procession definitions messages -f loan.yaml --language de --to de.json": {
			before: "procession get process LOAN -o yaml > loan.yaml",
		},
		"docs/workers.md: export PROCESSION_TOKEN=demo-token-alice": {},
		"docs/workers.md: cd claims":                                {before: "cp workflow.go workflow_test.go claims/"},
		"docs/workers.md: procession start CLAIM": {
			values: map[string][]string{"TASK": {listed("tasks list --definition CLAIM --code REPORT", ".[0].id")}},
			// The task is there when the worker has created it.
			before: "awaited() { timeout 60 bash -c 'until procession \"$@\" -o name | grep -q .; do :; done' - \"$@\"; }\n" +
				"procession() { command procession \"$@\"; [ $1 != start ] || awaited tasks list --definition CLAIM; }",
			after: "awaited processes list --definition CLAIM --state COMPLETED",
		},

		"docs/recipes.md: procession get process LOAN -o yaml > loan.yaml": {},
		"docs/recipes.md: procession diff":                                 {},
		"docs/recipes.md: procession secrets issue": {
			values: map[string][]string{"ID": {listed("secrets list Application loan-worker", issued)}},
		},
		"docs/recipes.md: docker compose run --rm --no-deps prepare bootstrap --tenant acme --email you@your.domain > token": {
			without: "it takes Docker",
		},
		"docs/recipes.md: procession secrets issue Application loan-worker --name compose > .procession-compose/loan-worker-secret": {
			without: "it takes Docker",
		},
		"docs/recipes.md: procession incidents list": {values: incidents},

		"docs/operations.md: tools/scripts/compose-secrets": {without: "it takes Docker"},
		`docs/operations.md: PROCESSION_OIDC_ISSUERS='[{"issuer": "https://login.example.internal/realms/staff", "audiences": ["procession"]}]'`: {},
		"docs/operations.md: procession workers": {},
		"docs/operations.md: procession events": {
			values: map[string][]string{"ID": {r.process, listed("events --limit 1", ".[0].id"), demo.Carol().ID.String(), "a-request"}},
		},
		`docs/operations.md: psql -c "CREATE ROLE procession_service LOGIN PASSWORD '…'"`: {
			without: "roles are of the whole server: TestGrantsOfTheServicesRole",
		},
		"docs/operations.md: procession purge --dry-run": {},
		"docs/operations.md: procession webhooks list": {
			values: map[string][]string{
				"DELIVERY": {listed("webhooks deliveries --webhook EVENTS --limit 1", ".[0].id")}, "CODE": {"EVENTS"},
			},
		},
		"docs/operations.md: procession incidents list": {
			values: map[string][]string{"INCIDENT": {failed[0], failed[0], failed[1], failed[2]}},
		},
		"docs/operations.md: procession processes repair change PROCESS --task TASK -f data.json --reset --reason TEXT": {
			without: "it takes a failed process: TestFailedWorkflowBecomesAnIncidentThatCanBeRetried",
		},
		"docs/operations.md: procession keys list": {values: map[string][]string{"DIR": {"certificates"}}},
		"docs/operations.md: procession keys distrust ID": {values: map[string][]string{"ID": {
			"$(procession keys list | awk '/NEXT/ { print $1 }')", "$(procession ca list | awk '/NEXT/ { print $1 }')",
		}}},
		"docs/operations.md: procession access list": {values: map[string][]string{
			"ID": {engine, demo.LoanWorker().ID.String()}, "[--tenant CODE]": {"--tenant demo"},
		}},
		"docs/operations.md: export PROCESSION_SEAL_KEY_KEEPER='awskms:///alias/procession?region=eu-south-2'": {
			without: "it takes a key management service",
		},
	}
}

// documentRun runs blocks of commands in a folder of its own.
type documentRun struct {
	*testStack
	folder, process string
}

func newDocumentRun(s *testStack) *documentRun {
	r := &documentRun{testStack: s, folder: s.t.TempDir(), process: s.createLoan(uuid.New()).String()}
	root, err := filepath.Abs("../..")
	require.NoError(s.t, err)
	program := fmt.Sprintf("#!/bin/bash\nexport %s=yes\n"+
		"case \" $* \" in *' --follow '*) timeout -s INT 2 %[2]s \"$@\" || [ $? = 124 ];; *) exec %[2]s \"$@\";; esac\n", asProgram, os.Args[0])
	r.script("bin/procession", program)
	r.script("bin/jq", fmt.Sprintf("#!/bin/bash\n%s=yes exec %s \"$@\"\n", asJQ, os.Args[0]))
	r.script("bin/make", "#!/bin/bash\n[ \"$1\" = run ]\n")
	// A program that goes on running is left to the test once it is ready. Other tests run the examples too.
	for _, name := range []string{"data-source", "inspection", "inspection/drive", "loan", "loan/drive", "webhook-receiver"} {
		built := filepath.Join(r.folder, "built", "examples", name)
		require.NoError(s.t, os.MkdirAll(filepath.Dir(built), 0o750))
		require.NoError(s.t, os.Symlink(example(s.t, name), built+".program"))
	}
	r.script("bin/go", fmt.Sprintf(`#!/bin/bash
set -eu
export GOFLAGS="${GOFLAGS:-} -ldflags=-s"
[ "$1" = run ] || exec %[1]s "$@"
program=$PWD/built/$2.program
[ "$2" != . ] || { program=$PWD/worker; %[1]s build -o "$program" .; }
case $2 in
  */drive) exec "$program" -endpoint "$PROCESSION_SERVER";;
esac
log=$PWD/$(basename "$program").log
> "$log"
"$program" >> "$log" 2>&1 &
pid=$!
echo $pid >> "$PIDS"
timeout 60 grep -qm1 ready <(tail -n +1 --follow --pid=$pid --sleep-interval=0.1 "$log") || { cat "$log" >&2; exit 1; }
`, goTool(s.t)))
	for _, folder := range []string{"examples", "sdk"} {
		require.NoError(s.t, os.Symlink(filepath.Join(root, folder), filepath.Join(r.folder, folder)))
	}
	r.inputs(root)
	s.t.Cleanup(func() {
		stop := exec.Command("bash", "-c", "[ ! -e pids ] || kill $(cat pids)")
		stop.Dir = r.folder
		require.NoError(s.t, stop.Run())
	})
	return r
}

// inputs writes the files that the commands of documents take.
func (r *documentRun) inputs(root string) {
	received := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r.t.Cleanup(received.Close)
	robot, err := data.RobotPackage()
	require.NoError(r.t, err)
	travel := fenced(r.t, filepath.Join(root, "docs/process-definitions.md"), "yaml")
	worker := fenced(r.t, filepath.Join(root, "docs/workers.md"), "go")
	require.NoError(r.t, os.Mkdir(filepath.Join(r.folder, "folder"), 0o750))
	documents, err := filepath.Glob(filepath.Join(root, "examples/demo/*.yaml"))
	require.NoError(r.t, err)
	for _, document := range documents {
		require.NoError(r.t, os.Symlink(document, filepath.Join(r.folder, "folder", filepath.Base(document))))
	}
	for name, content := range map[string]string{
		"events.yaml": "apiVersion: procession/v1\nkind: WebhookSubscription\nmetadata: { code: EVENTS, tenant: demo }\n" +
			"spec: { name: Order desk, url: " + received.URL + " }\n",
		"travel.yaml": travel[0], "workflow.go": worker[0], "workflow_test.go": worker[1], "kyc-bot.zip": string(robot), "node.zip": string(robot), "token": "a-token",
	} {
		require.NoError(r.t, os.WriteFile(filepath.Join(r.folder, name), []byte(content), 0o600))
	}
}

func (r *documentRun) script(name, content string) {
	path := filepath.Join(r.folder, name)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(r.t, os.WriteFile(path, []byte(content), 0o700))
}

func goTool(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("go")
	require.NoError(t, err)
	return path
}

// incidents creates open incidents, each of a process of its own.
func (r *documentRun) incidents(n int) []string {
	var ids []string
	for range n {
		process := r.createLoan(uuid.New())
		r.fill(r.awaitItem(process, "LOAN_APPLICATION"),
			map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "a lot"})
		ids = append(ids, r.awaitIncident(process))
	}
	return ids
}

// execute runs a block as a person would, with the addresses of the test's stack.
func (r *documentRun) execute(document, block string, how shown) {
	r.t.Helper()
	for word, values := range how.values {
		used := 0
		block = regexp.MustCompile(`(^|[^\w./])`+regexp.QuoteMeta(word)+`($|[^\w./])`).ReplaceAllStringFunc(block, func(found string) string {
			value := values[min(used, len(values)-1)]
			used++
			return strings.Replace(found, word, value, 1)
		})
	}
	block = strings.NewReplacer("127.0.0.1:8080", r.config.Listen, "127.0.0.1:7233", r.config.TemporalAddress).Replace(block)
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*testTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", how.before+"\n"+block+"\n"+how.after)
	cmd.Dir = r.folder
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(r.folder, "bin")+":"+os.Getenv("PATH"),
		"PIDS="+filepath.Join(r.folder, "pids"), "PROCESSION_SERVER="+r.url(), "PROCESSION_TOKEN="+demo.Alice().Secret, "PROCESSION_CONFIG="+filepath.Join(r.dir, "procession.yaml"))
	for _, prefix := range []string{"LOAN_WORKER", "INSPECTION_WORKER", "WEBHOOK_RECEIVER", "PROCESSION_WORKER"} {
		cmd.Env = append(cmd.Env, prefix+"_ENDPOINT="+r.url(), prefix+"_TEMPORAL_ADDRESS="+r.config.TemporalAddress)
	}
	cmd.WaitDelay = testTimeout
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "%s:\n%s\nprinted:\n%s", document, block, out)
}

// fenced returns the blocks of a language in a file.
func fenced(t *testing.T, file, language string) []string {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	return fencedIn(raw, language)
}

// fencedIn returns the blocks of a language in a document.
func fencedIn(raw []byte, language string) []string {
	var blocks []string
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(raw)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if block, ok := node.(*ast.FencedCodeBlock); ok && entering && string(block.Language(raw)) == language {
			blocks = append(blocks, string(block.Lines().Value(raw)))
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

// filtered emulates jq with an expression, optionally after -r.
func filtered(args []string) error {
	raw := args[0] == "-r"
	query, err := gojq.Parse(args[len(args)-1])
	if err != nil {
		return err
	}
	var input any
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		return err
	}
	for results := query.Run(input); ; {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			return err
		}
		if text, ok := result.(string); ok && raw {
			fmt.Println(text)
			continue
		}
		printed, err := gojq.Marshal(result)
		if err != nil {
			return err
		}
		fmt.Println(string(printed))
	}
}
