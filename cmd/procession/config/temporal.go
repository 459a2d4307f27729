package config

import (
	"errors"
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
	if c.TaskQueueInterval < 100*time.Millisecond || c.PollerTimeout < time.Second || c.CancelGrace < 0 {
		return errors.New("--task-queue-interval must be 100ms or more, --poller-timeout 1s or more, and --cancel-grace not negative")
	}
	return nil
}

func (c *Temporal) requireTemporal() error {
	if c.TemporalAddress == "" {
		return missingSetting("temporal-address")
	}
	return nil
}
