package config

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/retention"
)

// Retention configures the maximum age of data.
type Retention struct {
	EventRetention      time.Duration
	ProcessRetention    time.Duration
	DeletedRetention    time.Duration
	DeliveryRetention   time.Duration
	AssistanceRetention time.Duration
	IncidentRetention   time.Duration
}

// bindFlags declares the flags of the retention times.
func (c *Retention) bindFlags(f *pflag.FlagSet) {
	f.DurationVar(&c.EventRetention, "event-retention", 0, "how long events are kept, at least 720h; 0 forever")
	f.DurationVar(&c.ProcessRetention, "process-retention", 0,
		"how long finished processes are kept, with all their data, at least 24h; 0 forever")
	f.DurationVar(&c.DeletedRetention, "deleted-retention", 0,
		"how long deleted processes and business artifacts are kept, at least 24h; 0 forever")
	f.DurationVar(&c.DeliveryRetention, "delivery-retention", domain.WebhookRetention,
		"how long finished webhook deliveries are kept, 24h to 720h")
	f.DurationVar(&c.AssistanceRetention, "assistance-retention", 0,
		"how long prompts and answers of AI assistance are kept, at least 24h; 0 forever")
	f.DurationVar(&c.IncidentRetention, "incident-retention", domain.IncidentRetention,
		"how long closed incidents are kept, at least 24h; 0 forever")
}

// RetentionBounds returns the maximum age of data by kind.
func (c *Retention) RetentionBounds() retention.Bounds {
	return retention.Bounds{
		domain.RetainEvents: c.EventRetention, domain.RetainProcesses: c.ProcessRetention,
		domain.RetainDeleted: c.DeletedRetention, domain.RetainDeliveries: c.DeliveryRetention,
		domain.RetainAssistanceCalls: c.AssistanceRetention, domain.RetainIncidents: c.IncidentRetention,
	}
}

// checkSettings validates the settings.
func (c *Retention) checkSettings() error {
	var wrong faults
	bounds := c.RetentionBounds()
	for _, b := range []struct {
		flag string
		kind domain.RetentionKind
	}{
		{"event-retention", domain.RetainEvents},
		{"process-retention", domain.RetainProcesses},
		{"deleted-retention", domain.RetainDeleted},
		{"assistance-retention", domain.RetainAssistanceCalls},
		{"incident-retention", domain.RetainIncidents},
	} {
		kept := bounds[b.kind]
		wrong.require(kept == 0 || kept >= b.kind.Least(), b.flag, fmt.Sprintf("must be %gh or more, or 0", b.kind.Least().Hours()))
	}
	wrong.require(c.DeliveryRetention >= domain.LeastRetention && c.DeliveryRetention <= domain.WebhookRetention,
		"delivery-retention", "must be 24h to 720h")
	return wrong.join()
}
