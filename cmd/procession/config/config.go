// Package config contains the settings of the service: one struct for each subject, with its flags, environment
// variables, keys in a YAML file, and limits.
package config

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/pflag"
)

// Config contains every setting of the service, by subject. A subject declares its settings once, as flags in its
// method bindFlags: environment variable and key in the file have the name of the flag. See Load.
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
}

// BindFlags sets the defaults and declares the flags.
func (c *Config) BindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.File, FileFlag, "", "YAML file of settings")
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

// Check validates the settings.
func (c *Config) Check() error {
	var format error
	if c.LogFormat != "json" && c.LogFormat != "text" {
		format = errors.New("--log-format must be json or text")
	}
	return errors.Join(format, c.HTTP.checkSettings(), c.PublicNames.checkSettings(), c.Database.checkSettings(), c.Retention.checkSettings(), c.Temporal.checkSettings(),
		c.Credentials.checkSettings(), c.Webhooks.checkSettings(), c.Features.checkSettings(), c.Quotas.checkSettings())
}

// RequireService checks the settings that the service needs.
func (c *Config) RequireService() error {
	return errors.Join(c.RequireDatabase(), c.RequireSealKey(), c.requireTemporal(), c.requireDocuments(), c.requireTLSFiles(),
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
	return UsageError{Err: fmt.Errorf("--%s (or %s) is required", flag, variableName(flag))}
}
