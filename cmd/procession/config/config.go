// Package config contains the settings of the service: one struct for each subject, with its flags, environment
// variables, keys in a YAML file, and limits.
package config

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/blobstore"
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
	Mail
	Features
	Quotas
}

const logLevelFlag = "log-level"

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
	c.Mail.bindFlags(f)
	c.Features.bindFlags(f)
	c.Quotas.bindFlags(f)
	f.TextVar(&c.LogLevel, logLevelFlag, slog.LevelInfo, "debug, info, warn or error")
	bindChoice(f, &c.LogFormat, "log-format", "json or text", "json", "text")
}

// Check validates the settings.
func (c *Config) Check() error {
	var wrong faults
	if c.DocumentsURL != "" {
		wrong.add("documents-url", blobstore.CheckURL(c.DocumentsURL))
	}
	return errors.Join(wrong.join(), c.SealKeys.checkSettings(), c.HTTP.checkSettings(), c.PublicNames.checkSettings(), c.Database.checkSettings(), c.Retention.checkSettings(), c.Temporal.checkSettings(),
		c.Credentials.checkSettings(), c.Webhooks.checkSettings(), c.Mail.checkSettings(), c.Features.checkSettings(), c.Quotas.checkSettings())
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
	return UsageError{Err: newFault(flag, "is required")}
}
