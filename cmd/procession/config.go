package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/events/dispatch"
)

// Config contains every setting of the service, by subject. A subject declares its settings once, as flags in its method bindFlags:
// environment variable and key in the file have the name of the flag. See load.
type Config struct {
	File         string
	DocumentsURL string
	LogLevel     slog.Level
	LogFormat    string

	HTTP
	PublicNames
	Database
	Retention
	SealKeys
	Temporal
	Credentials
	Webhooks
	Features
	Quotas

	// webhookDelay is not a setting: it returns the pauses between attempts at webhooks.
	webhookDelay dispatch.Delay
	// databaseTimeout is not a setting: it is the longest wait for PostgreSQL at the start of a command.
	databaseTimeout time.Duration
}

// bindFlags sets the defaults and declares the flags.
func (c *Config) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.File, configFlag, "", "YAML file of settings")
	c.HTTP.bindFlags(f)
	c.PublicNames.bindFlags(f)
	c.Database.bindFlags(f)
	c.Retention.bindFlags(f)
	c.SealKeys.bindFlags(f)
	f.StringVar(&c.DocumentsURL, "documents-url", "",
		"URL of the blob store of documents: file:///directory or s3://bucket?region=…")
	c.Temporal.bindFlags(f)
	c.Credentials.bindFlags(f)
	c.Webhooks.bindFlags(f)
	c.Features.bindFlags(f)
	c.Quotas.bindFlags(f)
	f.TextVar(&c.LogLevel, "log-level", slog.LevelInfo, "debug, info, warn or error")
	f.StringVar(&c.LogFormat, "log-format", "json", "json or text")
}

// check validates the settings.
func (c *Config) check() error {
	var format error
	if c.LogFormat != "json" && c.LogFormat != "text" {
		format = errors.New("--log-format must be json or text")
	}
	return errors.Join(format, c.HTTP.check(), c.PublicNames.check(), c.Database.check(), c.Retention.check(), c.Temporal.check(),
		c.Credentials.check(), c.Webhooks.check(), c.Features.check(), c.Quotas.check())
}

// requireService checks the settings that the service needs.
func (c *Config) requireService() error {
	return errors.Join(c.requireDatabase(), c.requireSealKey(), c.requireTemporal(), c.requireDocuments(), c.requireTLSFiles(),
		c.requirePublicURL())
}

func (c *Config) requireDocuments() error {
	if c.DocumentsURL == "" {
		return fmt.Errorf("%w; give file:///directory for a directory that is backed up, or s3://bucket",
			missingSetting("documents-url"))
	}
	return nil
}

func missingSetting(flag string) error {
	return usageError{fmt.Errorf("--%s (or %s) is required", flag, variableName(flag))}
}
