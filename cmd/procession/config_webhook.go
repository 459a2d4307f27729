package main

import (
	"errors"
	"strings"

	"github.com/procession-dev/procession/webhook"
)

// hostList is a list of hosts and address ranges. In the file it is a list; in the
// environment and as a flag its elements are separated by commas.
type hostList []string

// UnmarshalText implements encoding.TextUnmarshaler, for the environment. Empty
// text stands for nothing.
func (h *hostList) UnmarshalText(text []byte) error {
	*h = nil
	for part := range strings.SplitSeq(string(text), ",") {
		if part = strings.TrimSpace(part); part != "" {
			*h = append(*h, part)
		}
	}
	return nil
}

// Set implements pflag.Value.
func (h *hostList) Set(text string) error { return h.UnmarshalText([]byte(text)) }

// String implements pflag.Value. What it returns is fit for Set.
func (h *hostList) String() string { return strings.Join(*h, ",") }

// Type implements pflag.Value.
func (h *hostList) Type() string { return "list" }

// webhookGuard keeps webhooks where the configuration lets them go.
func (c *Config) webhookGuard() (*webhook.Guard, error) {
	guard, err := webhook.NewGuard(webhook.Policy{
		Allow: c.WebhookAllow, Refuse: c.WebhookRefuse, AllowHTTP: c.WebhookAllowHTTP,
	}, nil)
	if err != nil {
		return nil, errors.Join(errors.New("--webhook-allow and --webhook-refuse must be lists of hosts and addresses"), err)
	}
	return guard, nil
}
