package main

import (
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/procession-dev/procession/examples/inspection/restapi"
)

// config is what the operator decides. Every flag but the mode has a variable of the same meaning; the flag wins.
type config struct {
	endpoint          string
	caFile            string
	clientID          string
	clientSecret      string
	temporalAddress   string
	identity          string
	hostname          string
	withActivityToken bool
	logLevel          slog.Level
}

// parseConfig reads flags and environment. The secret has no flag, because a command line is visible to every user of
// the machine.
func parseConfig(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	hostname, err := os.Hostname()
	if err != nil || hostname == "" {
		hostname = "localhost"
	}
	cfg := config{hostname: hostname, clientSecret: getenv("INSPECTION_WORKER_CLIENT_SECRET")}
	flags := flag.NewFlagSet("inspection", flag.ContinueOnError)
	flags.SetOutput(stderr)
	text := func(target *string, name, fallback, usage string) {
		variable := "INSPECTION_WORKER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if value := getenv(variable); value != "" {
			fallback = value
		}
		flags.StringVar(target, name, fallback, usage+" (env "+variable+")")
	}
	text(&cfg.endpoint, "endpoint", "http://127.0.0.1:8080", "address of the REST API")
	text(&cfg.caFile, "ca-file", "", "PEM file with the CA of an https endpoint, in place of the system's")
	text(&cfg.clientID, "client-id", "", "id of the application the worker acts as; its secret is in env INSPECTION_WORKER_CLIENT_SECRET")
	text(&cfg.temporalAddress, "temporal-address", "127.0.0.1:7233", "host:port of Temporal")
	text(&cfg.identity, "identity", "inspection-worker@"+hostname, "name of this worker; unique among the tenant's workers")
	flags.BoolVar(&cfg.withActivityToken, "activity-token", false, "wait for tasks in activities that the service completes, as old workers do")
	flags.TextVar(&cfg.logLevel, "log-level", slog.LevelInfo, "DEBUG, INFO, WARN or ERROR")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	switch {
	case flags.NArg() > 0:
		return config{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case cfg.clientID == "":
		return config{}, errors.New("no client id: set -client-id or INSPECTION_WORKER_CLIENT_ID")
	case cfg.clientSecret == "":
		return config{}, errors.New("no client secret: set INSPECTION_WORKER_CLIENT_SECRET")
	}
	return cfg, nil
}

func newAPI(cfg config) (*restapi.Client, error) {
	var roots *x509.CertPool
	if cfg.caFile != "" {
		pem, err := os.ReadFile(cfg.caFile)
		if err != nil {
			return nil, fmt.Errorf("reading the CA file: %w", err)
		}
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("CA file %s holds no PEM certificate", cfg.caFile)
		}
	}
	return restapi.New(cfg.endpoint, restapi.ClientCredentials(cfg.clientID, cfg.clientSecret), roots)
}
