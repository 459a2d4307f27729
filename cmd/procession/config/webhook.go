package config

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/events/webhook"
)

// Webhooks configures the addresses of webhooks.
type Webhooks struct {
	WebhookAllow     textList
	WebhookRefuse    textList
	WebhookAllowHTTP bool
}

// bindFlags declares the flags.
func (c *Webhooks) bindFlags(f *pflag.FlagSet) {
	f.Var(&c.WebhookAllow, "webhook-allow",
		"hosts, addresses and prefixes such as 10.1.0.0/16 that webhooks may be sent to even if they are not public")
	f.Var(&c.WebhookRefuse, "webhook-refuse", "public addresses and prefixes that webhooks may not be sent to")
	f.BoolVar(&c.WebhookAllowHTTP, "webhook-allow-http", false,
		"accept http:// for all webhooks, not only for the hosts of --webhook-allow")
}

// checkSettings validates the settings.
func (c *Webhooks) checkSettings() error {
	var wrong faults
	for setting, policy := range map[string]webhook.Policy{"webhook-allow": {Allow: c.WebhookAllow}, "webhook-refuse": {Refuse: c.WebhookRefuse}} {
		if _, err := webhook.NewGuard(policy, nil); err != nil {
			wrong.add(setting, fmt.Errorf("must be a list of hosts, addresses and prefixes: %w", err))
		}
	}
	return wrong.join()
}

// WebhookGuard returns the rules for the addresses of webhooks.
func (c *Webhooks) WebhookGuard() (*webhook.Guard, error) {
	guard, err := webhook.NewGuard(webhook.Policy{
		Allow: c.WebhookAllow, Refuse: c.WebhookRefuse, AllowHTTP: c.WebhookAllowHTTP,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("reading --webhook-allow and --webhook-refuse: %w", err)
	}
	return guard, nil
}
