// Command drive plays three loans through the service with HTTP only, as the people of the demo data: one below the
// limit, one approved and one rejected. It prints each step with its timing and fails on the first surprise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := runDrive(ctx, os.Args[1:], environment{
		getenv: os.Getenv,
		stdout: os.Stdout,
		stderr: os.Stderr,
		clock:  time.Now,
	})
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "drive:", err)
		os.Exit(1)
	}
}

// environment is the environment of the process besides its arguments.
type environment struct {
	getenv         func(string) string
	stdout, stderr io.Writer
	clock          func() time.Time
}

// config is where the service is and who the people are. The defaults are the demo data's.
type config struct {
	endpoint                         string
	caFile                           string
	aliceToken, bobToken, carolToken string
	carolID, bobID, definitionID     uuid.UUID
	stepDeadline                     time.Duration
}

func parseConfig(args []string, env environment) (config, error) {
	var cfg config
	flags := flag.NewFlagSet("drive", flag.ContinueOnError)
	flags.SetOutput(env.stderr)
	text := func(target *string, name, fallback, usage string) {
		variable := "LOAN_DRIVE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if value := env.getenv(variable); value != "" {
			fallback = value
		}
		flags.StringVar(target, name, fallback, usage+" (env "+variable+")")
	}
	text(&cfg.endpoint, "endpoint", "http://127.0.0.1:8080", "address of the REST API")
	text(&cfg.caFile, "ca-file", "", "PEM file with the CA of an https endpoint, besides the system's")
	text(&cfg.aliceToken, "alice-token", "demo-token-alice", "token of Alice, manager of LOAN")
	text(&cfg.bobToken, "bob-token", "demo-token-bob", "token of Bob, reviewer")
	text(&cfg.carolToken, "carol-token", "demo-token-carol", "token of Carol, who asks for the loans")
	flags.TextVar(&cfg.carolID, "carol-id", uuid.MustParse("01970000-0000-7000-8000-00000000c003"), "principal id of Carol")
	flags.TextVar(&cfg.bobID, "bob-id", uuid.MustParse("01970000-0000-7000-8000-00000000c002"), "principal id of Bob")
	flags.TextVar(&cfg.definitionID, "definition-id", uuid.MustParse("01970000-0000-7000-8000-00000000e001"), "id of the process definition LOAN")
	flags.DurationVar(&cfg.stepDeadline, "deadline", 30*time.Second, "longest time one step may take")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return cfg, nil
}

// runDrive plays every scenario in turn and stops at the first surprise.
func runDrive(ctx context.Context, args []string, env environment) error {
	cfg, err := parseConfig(args, env)
	if err != nil {
		return err
	}
	cast, err := newCast(cfg)
	if err != nil {
		return err
	}
	begun := env.clock()
	for _, s := range allScenarios() {
		d := &drive{cfg: cfg, cast: cast, clock: env.clock, out: env.stdout}
		if err := d.runScenario(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	_, _ = fmt.Fprintf(env.stdout, "\nall %d loans went as they should (%.1f s)\n", len(allScenarios()), env.clock().Sub(begun).Seconds())
	return nil
}

// cast is one client per person.
type cast struct{ alice, bob, carol person }

// person is a user who calls the service.
type person struct {
	name string
	id   uuid.UUID
	api  *procession.Client
}

// newCast returns the clients. They never retry: a status that a retry would hide is a surprise to report.
func newCast(cfg config) (cast, error) {
	settings := procession.ClientConfig{Endpoint: cfg.endpoint, Attempts: 1, Timeout: cfg.stepDeadline}
	if cfg.caFile != "" {
		roots, err := procession.LoadCAs(cfg.caFile)
		if err != nil {
			return cast{}, err
		}
		settings.RootCAs = roots
	}
	var all cast
	for _, member := range []struct {
		person *person
		name   string
		id     uuid.UUID
		token  string
	}{
		{&all.alice, "Alice", uuid.Nil, cfg.aliceToken},
		{&all.bob, "Bob", cfg.bobID, cfg.bobToken},
		{&all.carol, "Carol", cfg.carolID, cfg.carolToken},
	} {
		settings.Credentials = procession.BearerToken(member.token)
		api, err := procession.NewClient(settings)
		if err != nil {
			return cast{}, err
		}
		*member.person = person{member.name, member.id, api}
	}
	return all, nil
}
