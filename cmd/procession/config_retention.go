package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/retention"
)

// bindRetention declares the flags of the retention times.
func (c *Config) bindRetention(f *pflag.FlagSet) {
	f.DurationVar(&c.EventRetention, "event-retention", 0, "how long events are kept, at least 720h; 0 forever")
	f.DurationVar(&c.ProcessRetention, "process-retention", 0,
		"how long processes are kept that are finished, with all that they have, at least 24h; 0 forever")
	f.DurationVar(&c.DeletedRetention, "deleted-retention", 0,
		"how long processes and business artifacts are kept that were deleted, at least 24h; 0 forever")
	f.DurationVar(&c.DeliveryRetention, "delivery-retention", domain.WebhookRetention,
		"how long webhook deliveries are kept that have finished, 24h to 720h")
	f.DurationVar(&c.AssistanceRetention, "assistance-retention", 0,
		"how long prompts and answers of AI assistance are kept, at least 24h; 0 forever")
}

// retention returns how long data is kept at most.
func (c *Config) retention() retention.Bounds {
	return retention.Bounds{
		domain.RetainEvents: c.EventRetention, domain.RetainProcesses: c.ProcessRetention,
		domain.RetainDeleted: c.DeletedRetention, domain.RetainDeliveries: c.DeliveryRetention,
		domain.RetainAssistanceCalls: c.AssistanceRetention,
	}
}

// checkRetention reports bounds that are too short or too long.
func (c *Config) checkRetention() error {
	var wrong []error
	bounds := c.retention()
	for _, b := range []struct {
		flag string
		kind domain.RetentionKind
	}{
		{"event-retention", domain.RetainEvents},
		{"process-retention", domain.RetainProcesses},
		{"deleted-retention", domain.RetainDeleted},
		{"assistance-retention", domain.RetainAssistanceCalls},
	} {
		if kept := bounds[b.kind]; kept != 0 && kept < b.kind.Least() {
			wrong = append(wrong, fmt.Errorf("--%s must be %gh or more, or 0", b.flag, b.kind.Least().Hours()))
		}
	}
	if c.DeliveryRetention < domain.LeastRetention || c.DeliveryRetention > domain.WebhookRetention {
		wrong = append(wrong, errors.New("--delivery-retention must be 24h to 720h"))
	}
	return errors.Join(wrong...)
}
