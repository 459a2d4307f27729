package main

import (
	"errors"

	"github.com/procession-dev/procession/events/webhook"
)

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
