package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
)

// redacted replaces a secret in output.
const redacted = "REDACTED"

func newConfigCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Print the configuration", RunE: runGroup}
	cmd.AddCommand(newConfiguredCommand("print", "Print the settings in force as YAML, without secrets",
		func(_ context.Context, cmd *cobra.Command, c Config) error {
			return printConfig(cmd, c)
		}))
	return cmd
}

func printConfig(cmd *cobra.Command, c Config) error {
	c.DatabaseURL, c.DatabaseDirectURL = redactURL(c.DatabaseURL), redactURL(c.DatabaseDirectURL)
	c.AssistanceURL = redactURL(c.AssistanceURL)
	c.SealKeyKeeper = redactKMS(c.SealKeyKeeper)
	out, err := c.marshalYAML()
	if err != nil {
		return fmt.Errorf("printing the configuration: %w", err)
	}
	_, err = cmd.OutOrStdout().Write(out)
	return err
}

// redactURL replaces the password of a URL. A text that is not a URL is replaced entirely.
func redactURL(s string) string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" {
		return redacted
	}
	query := u.Query()
	if query.Has("password") {
		query.Set("password", redacted)
		u.RawQuery = query.Encode()
	}
	if _, ok := u.User.Password(); ok {
		u.User = url.UserPassword(u.User.Username(), redacted)
	}
	return u.String()
}
