package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// config is what the operator decides. Every flag has a variable of the same meaning; the flag wins.
type config struct {
	listen       string
	endpoint     string
	clientID     string
	clientSecret string
	// webhookSecrets are those of the subscription: one, or two while one takes the place of the other.
	webhookSecrets []string
}

// parseConfig reads flags and environment. Secrets have no flags, because a command line is visible to every user of the
// machine.
func parseConfig(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	cfg := config{
		clientSecret:   getenv("WEBHOOK_RECEIVER_CLIENT_SECRET"),
		webhookSecrets: strings.Fields(getenv("WEBHOOK_RECEIVER_WEBHOOK_SECRETS")),
	}
	flags := flag.NewFlagSet("webhook-receiver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	text := func(target *string, name, fallback, usage string) {
		variable := "WEBHOOK_RECEIVER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if value := getenv(variable); value != "" {
			fallback = value
		}
		flags.StringVar(target, name, fallback, usage+" (env "+variable+")")
	}
	text(&cfg.listen, "listen", "127.0.0.1:8099", "address that webhooks are sent to")
	text(&cfg.endpoint, "endpoint", "http://127.0.0.1:8080", "address of the REST API")
	text(&cfg.clientID, "client-id", "", "id of the application to act as; its secret is in env WEBHOOK_RECEIVER_CLIENT_SECRET")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	switch {
	case flags.NArg() > 0:
		return config{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case cfg.clientID == "":
		return config{}, errors.New("no client id: set -client-id or WEBHOOK_RECEIVER_CLIENT_ID")
	case cfg.clientSecret == "":
		return config{}, errors.New("no client secret: set WEBHOOK_RECEIVER_CLIENT_SECRET")
	case len(cfg.webhookSecrets) == 0:
		return config{}, errors.New("no webhook secret: set WEBHOOK_RECEIVER_WEBHOOK_SECRETS")
	}
	return cfg, nil
}
