package config

import (
	"errors"

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
	_, err := c.WebhookGuard()
	return err
}

// WebhookGuard returns the rules for the addresses of webhooks.
func (c *Webhooks) WebhookGuard() (*webhook.Guard, error) {
	guard, err := webhook.NewGuard(webhook.Policy{
		Allow: c.WebhookAllow, Refuse: c.WebhookRefuse, AllowHTTP: c.WebhookAllowHTTP,
	}, nil)
	if err != nil {
		return nil, errors.Join(errors.New("--webhook-allow and --webhook-refuse must be lists of hosts and addresses"), err)
	}
	return guard, nil
}
