package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/procession-dev/procession/examples/loan/lending"
	"github.com/procession-dev/procession/examples/loan/restapi"
)

// config is what the operator decides. Every flag has a variable of the same meaning; the flag wins.
type config struct {
	endpoint        string
	caFile          string
	clientID        string
	clientSecret    string
	temporalAddress string
	identity        string
	taskQueue       string
	hostname        string
	logLevel        slog.Level
}

// parseConfig reads flags and environment. The secret has no flag, because a command line is visible to every user of
// the machine.
func parseConfig(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	hostname, err := os.Hostname()
	if err != nil || hostname == "" {
		hostname = "localhost"
	}
	cfg := config{hostname: hostname}
	flags := flag.NewFlagSet("loan", flag.ContinueOnError)
	flags.SetOutput(stderr)
	text := func(target *string, name, fallback, usage string) {
		variable := "LOAN_WORKER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if value := getenv(variable); value != "" {
			fallback = value
		}
		flags.StringVar(target, name, fallback, usage+" (env "+variable+")")
	}
	var secretFile string
	text(&cfg.endpoint, "endpoint", "http://127.0.0.1:8080", "address of the REST API")
	text(&cfg.caFile, "ca-file", "", "PEM file with the CA of an https endpoint, besides the system's")
	text(&cfg.clientID, "client-id", "", "id of the application the worker acts as")
	text(&secretFile, "client-secret-file", "", "file with the application's secret; or set env LOAN_WORKER_CLIENT_SECRET")
	text(&cfg.temporalAddress, "temporal-address", "127.0.0.1:7233", "host:port of Temporal")
	text(&cfg.identity, "identity", "loan-worker@"+hostname, "name of this worker; unique among the tenant's workers")
	text(&cfg.taskQueue, "task-queue", lending.TaskQueue, "task queue of the process definition")
	flags.TextVar(&cfg.logLevel, "log-level", slog.LevelInfo, "DEBUG, INFO, WARN or ERROR")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if cfg.clientID == "" {
		return config{}, errors.New("no client id: set -client-id or LOAN_WORKER_CLIENT_ID")
	}
	cfg.clientSecret, err = readSecret(getenv("LOAN_WORKER_CLIENT_SECRET"), secretFile)
	return cfg, err
}

// readSecret takes the secret from the file when one is named, else from the environment.
func readSecret(fromEnv, file string) (string, error) {
	secret := fromEnv
	if file != "" {
		content, err := os.ReadFile(file) //nolint:gosec // the operator names the file
		if err != nil {
			return "", fmt.Errorf("reading the client secret: %w", err)
		}
		secret = strings.TrimSpace(string(content))
	}
	if secret == "" {
		return "", errors.New("no client secret: set LOAN_WORKER_CLIENT_SECRET or -client-secret-file")
	}
	return secret, nil
}

func newAPI(cfg config, logger *slog.Logger) (*restapi.Client, error) {
	settings := restapi.Config{
		Endpoint:    cfg.endpoint,
		Credentials: restapi.ClientCredentials(cfg.clientID, cfg.clientSecret),
		Logger:      logger,
	}
	if cfg.caFile != "" {
		roots, err := restapi.LoadCAs(cfg.caFile)
		if err != nil {
			return nil, err
		}
		settings.RootCAs = roots
	}
	return restapi.New(settings)
}
