package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
)

// redacted stands for a secret in what is printed.
const redacted = "REDACTED"

func newConfigCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look at the configuration", RunE: onlyCommands}
	cmd.AddCommand(configured("print", "Print the settings in force as YAML, without secrets",
		func(_ context.Context, cmd *cobra.Command, c Config) error {
			return printConfig(cmd, c)
		}))
	return cmd
}

func printConfig(cmd *cobra.Command, c Config) error {
	c.DatabaseURL, c.DatabaseDirectURL = redactURL(c.DatabaseURL), redactURL(c.DatabaseDirectURL)
	c.AssistanceURL = redactURL(c.AssistanceURL)
	c.SealKeyKeeper = redactKeeper(c.SealKeyKeeper)
	out, err := c.yaml()
	if err != nil {
		return fmt.Errorf("printing the configuration: %w", err)
	}
	_, err = cmd.OutOrStdout().Write(out)
	return err
}

// redactURL hides the password of a URL. What is no URL may hold one anywhere
// and is hidden altogether.
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
