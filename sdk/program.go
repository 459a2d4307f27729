package procession

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Program is a worker as a program of its own, with flags and variables of the environment. Each flag has a variable of
// the same meaning, and the flag wins: -endpoint and PREFIX_ENDPOINT, -temporal-address and PREFIX_TEMPORAL_ADDRESS, and
// so on; -h lists them. The secret has no flag, because a command line is visible to every user of the machine: it is in
// PREFIX_CLIENT_SECRET, or in the file that -client-secret-file names.
type Program struct {
	// Name is the name of the program in messages.
	Name string
	// Prefix begins the names of the variables (default PROCESSION_WORKER).
	Prefix string
	// TaskQueue is the queue of the definitions; -task-queue names another.
	TaskQueue string
	// Flags, if set, defines additional flags.
	Flags func(*flag.FlagSet)
	// Register registers the workflows and activities of the worker. It is called after the flags are parsed.
	Register func(*Worker) error
}

// Main runs the program until it gets SIGINT or SIGTERM, and ends the process.
func (p Program) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := p.Run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr) //nolint:forbidigo // the one place that reads the environment of a worker
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

// Run is Main with the environment of the process as arguments. It prints one line to stdout when the worker polls, and
// logs to stderr. It returns errors of the configuration and of Worker.Run.
func (p Program) Run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	cfg, err := p.parseConfig(args, getenv, stderr)
	if err != nil {
		return err
	}
	cfg.Ready = func(namespace string) {
		_, _ = fmt.Fprintf(stdout, "%s worker ready queue=%s namespace=%s identity=%s\n", p.Name, cfg.TaskQueue, namespace, cfg.Identity)
	}
	w, err := NewWorker(cfg)
	if err != nil {
		return err
	}
	if err := p.Register(w); err != nil {
		return err
	}
	if err := w.Run(ctx); err != nil {
		return err
	}
	cfg.Logger.InfoContext(ctx, "worker stopped")
	return nil
}

// parseConfig reads flags and environment.
func (p Program) parseConfig(args []string, getenv func(string) string, stderr io.Writer) (Config, error) {
	hostname, err := os.Hostname()
	if err != nil || hostname == "" {
		hostname = "localhost"
	}
	prefix := cmp.Or(p.Prefix, "PROCESSION_WORKER")
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	var level slog.Level
	client := ClientFlags(flags, prefix, getenv)
	address := textFlag(flags, prefix, getenv, "temporal-address", "127.0.0.1:7233", "host:port of Temporal")
	plaintext := flags.Bool("temporal-plaintext", getenv(prefix+"_TEMPORAL_PLAINTEXT") == "true",
		"connect to a Temporal on this machine without TLS and credentials (env "+prefix+"_TEMPORAL_PLAINTEXT=true)")
	identity := textFlag(flags, prefix, getenv, "identity", p.Name+"-worker@"+hostname, "name of this worker; unique among the tenant's workers")
	queue := textFlag(flags, prefix, getenv, "task-queue", p.TaskQueue, "task queue of the definitions")
	flags.TextVar(&level, "log-level", slog.LevelInfo, "DEBUG, INFO, WARN or ERROR")
	if p.Flags != nil {
		p.Flags(flags)
	}
	if err := flags.Parse(args); err != nil {
		return Config{}, err
	}
	calling, err := client()
	return Config{
		Client: calling, TemporalAddress: *address, TemporalPlaintext: *plaintext, TaskQueue: *queue, Identity: *identity, Hostname: hostname,
		Logger: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level})),
	}, err
}

// ClientFlags defines the flags of programs that call the service, -endpoint, -expose-credentials, -ca-file, -client-id
// and -client-secret-file, each with a variable of the same meaning that begins with prefix and an underscore. Once the flags
// are parsed, the function returned makes a configuration of them.
func ClientFlags(flags *flag.FlagSet, prefix string, getenv func(string) string) func() (ClientConfig, error) {
	endpoint := textFlag(flags, prefix, getenv, "endpoint", "http://127.0.0.1:8080", "address of the REST API")
	expose := flags.Bool("expose-credentials", getenv(prefix+"_EXPOSE_CREDENTIALS") == "true",
		"allow http to other machines, which shows the secret to the network (env "+prefix+"_EXPOSE_CREDENTIALS=true)")
	caFile := textFlag(flags, prefix, getenv, "ca-file", "", "PEM file with the CA of an https endpoint, besides the system's")
	clientID := textFlag(flags, prefix, getenv, "client-id", "", "id of the application to act as")
	secretFile := textFlag(flags, prefix, getenv, "client-secret-file", "", "file with the application's secret; or set env "+prefix+"_CLIENT_SECRET")
	return func() (ClientConfig, error) {
		if flags.NArg() > 0 {
			return ClientConfig{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
		}
		if *clientID == "" {
			return ClientConfig{}, errors.New("no client id: set -client-id or " + prefix + "_CLIENT_ID")
		}
		secret, err := readSecret(getenv(prefix+"_CLIENT_SECRET"), *secretFile)
		if err != nil {
			return ClientConfig{}, err
		}
		if secret == "" {
			return ClientConfig{}, errors.New("no client secret: set " + prefix + "_CLIENT_SECRET or -client-secret-file")
		}
		cfg := ClientConfig{
			Endpoint: *endpoint, ExposeCredentials: *expose, Credentials: ClientCredentials(*clientID, secret),
		}
		if *caFile != "" {
			cfg.RootCAs, err = LoadCAs(*caFile)
		}
		return cfg, err
	}
}

// textFlag defines a flag. Its environment variable, if set, overrides the default.
func textFlag(flags *flag.FlagSet, prefix string, getenv func(string) string, name, fallback, usage string) *string {
	variable := prefix + "_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	return flags.String(name, cmp.Or(getenv(variable), fallback), usage+" (env "+variable+")")
}

// readSecret takes the secret from the file when one is named, else from the environment.
func readSecret(fromEnv, file string) (string, error) {
	if file == "" {
		return fromEnv, nil
	}
	content, err := os.ReadFile(file) //nolint:gosec // the operator names the file
	if err != nil {
		return "", fmt.Errorf("reading the client secret: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}
