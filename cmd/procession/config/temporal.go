package config

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

// Temporal configures the use of Temporal.
type Temporal struct {
	TemporalAddress   string
	TemporalRetention time.Duration
	TemporalCAFile    string
	TaskQueueInterval time.Duration
	PollerTimeout     time.Duration
	CancelGrace       time.Duration
}

// bindFlags declares the flags.
func (c *Temporal) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.TemporalAddress, "temporal-address", "", "host:port of Temporal's frontend")
	f.DurationVar(&c.TemporalRetention, "temporal-retention", engine.DefaultRetention,
		"how long namespaces created by the service keep ended workflows")
	f.StringVar(&c.TemporalCAFile, "temporal-ca-file", "",
		"authority of Temporal's certificate (PEM file); empty for the service's own")
	f.DurationVar(&c.TaskQueueInterval, "task-queue-interval", engine.DefaultTaskQueueInterval,
		"how often task queues are observed in Temporal")
	f.DurationVar(&c.PollerTimeout, "poller-timeout", domain.DefaultTaskQueueTimeouts().Poll,
		"how long a worker counts as polling after the start of its last poll")
	f.DurationVar(&c.CancelGrace, "cancel-grace", time.Minute,
		"how long a workflow may take to cancel before it is terminated")
}

// checkSettings validates the settings.
func (c *Temporal) checkSettings() error {
	var wrong faults
	wrong.require(c.TemporalAddress == "" || isAddress(c.TemporalAddress) && !strings.HasPrefix(c.TemporalAddress, ":"),
		"temporal-address", "must be host:port such as temporal.example.com:7233")
	wrong.require(c.TemporalRetention >= 24*time.Hour, "temporal-retention", "must be 24h or more")
	wrong.require(c.TaskQueueInterval >= 100*time.Millisecond, "task-queue-interval", "must be 100ms or more")
	wrong.require(c.PollerTimeout >= time.Second, "poller-timeout", "must be 1s or more")
	wrong.require(c.CancelGrace >= 0, "cancel-grace", "must not be negative")
	return wrong.join()
}

func (c *Temporal) requireTemporal() error {
	if c.TemporalAddress == "" {
		return missingSetting("temporal-address")
	}
	return nil
}
