package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/cli"
)

const timeout = 30 * time.Second

// awaitEvents waits until so many events can be read: other tests have transactions
// of their own at the same time.
func (w *terminal) awaitEvents(n int, args ...string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		o := w.runs(append([]string{"events", "--limit", "1000", "-o", "jq=length"}, args...)...)
		return o.err == nil && strings.TrimSpace(o.stdout) == strconv.Itoa(n)
	}, timeout, 10*time.Millisecond)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	const process = "01980000-0000-7000-8000-0000000000b1"
	w.failedWorkflow("01980000-0000-7000-8000-0000000000a1", "no funds")
	w.awaitEvents(2, "--process", process)
	requireGolden(t, "events.txt", w.succeeds("events", "--type", "PROCESS.CREATED,PROCESS.STATE_CHANGED"))
	one := w.succeeds("events", "--process", process, "--type", "PROCESS.CREATED", "-o", `jq=.[] | del(.cursor, .requestId)`)
	requireGolden(t, "events.json", one)

	first := w.runs("events", "--oldest-first", "--limit", "2", "-o", "jq=.[].cursor")
	require.NoError(t, first.err)
	cursors := strings.Fields(first.stdout)
	require.Len(t, cursors, 2)
	require.Equal(t, "There may be more: --after "+cursors[1]+"\n", first.stderr)
	second := strings.Fields(w.succeeds("events", "--oldest-first", "--limit", "2", "--after", cursors[0], "-o", "jq=.[].cursor"))
	require.Equal(t, cursors[1], second[0])
	require.Equal(t, cursors[0]+"\n", w.succeeds("events", "--after", cursors[1], "-o", "jq=.[].cursor"))

	// Actors are named by their codes and e-mail addresses, and shown by their codes.
	require.Contains(t, w.fails(cli.ExitNotFound, "events", "--actor", "x"), "--actor: there is no user or application x")
	for _, actor := range []string{"member", "Member@north.example", "01980000-0000-7000-8000-000000000013"} {
		require.Equal(t, "2\n", w.succeeds("events", "--actor", actor, "--process", process, "-o", "jq=length"), actor)
	}
	require.Regexp(t, ` member +\S+ +01980000-0000-7000-8000-000000000013 `, w.succeeds("events", "--process", process, "-o", "wide"))

	o := w.runs("events", "--type", "EVENTS.REMOVED")
	require.NoError(t, o.err)
	require.Equal(t, "no events\n", o.stderr)
	requireGolden(t, "events-unknown-type.txt", w.fails(cli.ExitUsage, "events", "--type", "NOTHING.HAPPENED"))
	require.Contains(t, w.fails(cli.ExitUsage, "events", "--type", "process.create"), "did you mean PROCESS.CREATED?")
	require.Contains(t, w.as(memberToken).fails(cli.ExitDenied, "events", "-o", "json"), "you are MEMBER of north")
	require.Equal(t, "Tenant/home not found", w.fails(cli.ExitNotFound, "events", "--tenant", "home", "-o", "jq=length"))
	require.NotEqual(t, "0\n", w.as(w.operator).succeeds("events", "--tenant", "home", "-o", "jq=length"))
	// The clock of the command is three days ahead of the service's.
	require.Equal(t, "0\n", w.succeeds("events", "--from", "1d", "-o", "jq=length"))
	require.NotEqual(t, "0\n", w.succeeds("events", "--from", "4d", "--kind", "GROUP", "-o", "jq=length"))
	require.Equal(t, "0\n", w.succeeds("events", "--to", "2020-01-01T00:00:00Z", "-o", "jq=length"))
	for _, wrong := range [][]string{
		{"x"},
		{"--limit", "0"},
		{"--limit", "1001"},
		{"--process", "x"},
		{"--resource", "x"},
		{"--from", "yesterday"},
		{"--to", "-1h"},
		{"--after", "x"},
		{"--type", "x"},
		{"--follow", "--oldest-first"},
		{"--follow", "--to", "1h"},
	} {
		w.fails(cli.ExitUsage, append([]string{"events"}, wrong...)...)
	}
}

// screen contains the output of a running command.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) printedLines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSpace(s.text.String()), "\n")
}

// runningCommand is a command that goes on.
type runningCommand struct {
	screen

	interrupt context.CancelFunc
	ended     chan error
}

// startFollowing starts a command that goes on.
func (w *terminal) startFollowing(args ...string) *runningCommand {
	w.t.Helper()
	f := &runningCommand{ended: make(chan error, 1)}
	root := &cobra.Command{Use: "procession", SilenceErrors: true, SilenceUsage: true}
	cli.AddCommands(root, cli.Environment{
		LookupEnv: func(name string) (string, bool) { value, ok := w.env[name]; return value, ok },
		Clock:     now,
	})
	root.SetOut(f)
	root.SetErr(f)
	root.SetArgs(args)
	ctx, cancel := context.WithCancel(w.t.Context())
	f.interrupt = cancel
	go func() { f.ended <- root.ExecuteContext(ctx) }()
	return f
}

// stop interrupts the command and returns its error.
func (f *runningCommand) stop() error {
	f.interrupt()
	return <-f.ended
}

// await waits until the screen shows a line that matches.
func (s *screen) await(t *testing.T, line string) {
	t.Helper()
	pattern := regexp.MustCompile(line)
	require.Eventually(t, func() bool { return slices.ContainsFunc(s.printedLines(), pattern.MatchString) }, timeout, time.Millisecond,
		"waiting for %s", line)
}

func TestEventsAreFollowed(t *testing.T) {
	t.Parallel()
	for format, titles := range map[string]int{"json": 0, "table": 1, "jq=.details.code": 0} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w := newNorth(t)
			w.awaitEvents(1, "--kind", "TENANT")
			before := strings.Fields(w.succeeds("events", "--limit", "2", "-o", "jq=.[].id"))
			shown := w.startFollowing("events", "--follow", "--limit", "2", "-o", format)
			require.Eventually(t, func() bool { return len(shown.printedLines()) == 2+titles }, timeout, time.Millisecond)
			codes := []string{"NEW", "NEWER", "NEWEST"}
			for _, code := range codes {
				w.succeeds("apply", "-f", w.writeFile("group.yaml", group(code, "")))
			}
			require.Eventually(t, func() bool { return len(shown.printedLines()) == 5+titles }, timeout, time.Millisecond)
			require.NoError(t, shown.stop())

			lines := shown.printedLines()
			switch format {
			case "table":
				require.Contains(t, lines[0], "RESOURCE")
				require.Contains(t, lines[5], "RESOURCE.CREATED")
			case "json":
				for i, line := range lines {
					var e oasadmin.Event
					require.NoError(t, json.Unmarshal([]byte(line), &e))
					if i < 2 {
						require.Equal(t, before[1-i], e.ID.String())
					} else {
						require.Equal(t, codes[i-2], e.Details["code"])
					}
				}
			default:
				require.Equal(t, codes, lines[2:])
			}
		})
	}
}
