package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// keyFamily contains the commands and texts for the keys of one purpose.
type keyFamily struct {
	purpose persistence.SigningKeyPurpose
	use     string
	// noun names one key.
	noun, short string
	// rotated and distrusted describe the steps that follow.
	rotateSteps, distrustSteps string
}

func newKeysCommand() *cobra.Command {
	return keyFamily{
		purpose: persistence.SignsEngineTokens, use: "keys", noun: "key", short: "the keys that sign engine tokens",
		rotateSteps: "Temporal reads the keys of the service again by itself; no further step is needed.",
		distrustSteps: "Tokens that it signed are refused as soon as Temporal has read the keys of the service again: within\n" +
			"--jwks-refresh, and replicas sign with another key within --key-reload. Workers get refusals until they fetch a\n" +
			"new token: restart those that do not do so by themselves.",
	}.newCommand()
}

// newCommand returns the commands for the keys.
func (f keyFamily) newCommand() *cobra.Command {
	cmd := &cobra.Command{Use: f.use, Short: "List, rotate and distrust " + f.short, RunE: runGroup}
	cmd.AddCommand(
		newConfiguredCommand("list", "List "+f.short+", the newest first", f.withKeys(f.listKeys)),
		newConfiguredCommand("rotate", "Create a new "+f.noun+" in place of the one in use", f.withKeys(f.rotateKey)),
		f.distrustCommand(),
	)
	return cmd
}

// withKeys calls run with the keys of the database. The service need not run.
func (f keyFamily) withKeys(
	run func(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error,
) func(context.Context, *cobra.Command, config.Config) error {
	return func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		k, err := server.OpenKeys(ctx, c, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer k.DB.Close()
		return run(ctx, cmd, k.Keys)
	}
}

func (f keyFamily) listKeys(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error {
	found, err := keys.List(ctx, f.purpose)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 3, ' ', 0)
	header := "ID\tSTATE\tCREATED\tTRUSTED UNTIL"
	if f.purpose == persistence.SignsCertificates {
		header += "\tNAME\tEXPIRES"
	}
	_, _ = fmt.Fprintln(w, header)
	for _, key := range found {
		f.writeKey(w, key)
	}
	return w.Flush()
}

func (f keyFamily) writeKey(w io.Writer, key authn.KeyInfo) {
	until := "-"
	if key.TrustedUntil != nil {
		until = formatTime(*key.TrustedUntil)
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s", key.ID, key.State, formatTime(key.CreatedAt), until)
	if f.purpose == persistence.SignsCertificates {
		_, _ = fmt.Fprintf(w, "\t%s\t%s", key.Name, formatTime(key.NotAfter))
	}
	_, _ = fmt.Fprintln(w)
}

func (f keyFamily) rotateKey(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error {
	if err := keys.Rotate(ctx, f.purpose); err != nil {
		return err
	}
	found, err := keys.List(ctx, f.purpose)
	if err != nil {
		return err
	}
	created := found[0]
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), created.ID); err != nil {
		return err
	}
	cmd.PrintErrf("Created the %s %s, which signs from %s on.\n", f.noun, created.ID, formatTime(created.SignsFrom))
	for _, key := range found[1:] {
		if key.State == authn.KeySigning && key.TrustedUntil != nil {
			cmd.PrintErrf("The previous one, %s, signs until then and is trusted until %s.\n", key.ID, formatTime(*key.TrustedUntil))
		}
	}
	cmd.PrintErrln(f.rotateSteps)
	return nil
}

func (f keyFamily) distrustCommand() *cobra.Command {
	cmd := newConfiguredCommand("distrust ID", "Revoke a "+f.noun+" and everything that it signed, at once",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			return f.withKeys(func(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error {
				return f.distrustKey(ctx, cmd, keys, cmd.Flags().Arg(0))
			})(ctx, cmd, c)
		})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return config.UsageError{Err: fmt.Errorf("%s needs the id of one %s: see %s list", cmd.CommandPath(), f.noun, f.use)}
		}
		return nil
	}
	cmd.Long = "Revokes a " + f.noun + " and everything that it signed at once: for a key that may be compromised. A planned\n" +
		"replacement uses rotate, which needs no restart."
	return cmd
}

func (f keyFamily) distrustKey(ctx context.Context, cmd *cobra.Command, keys *authn.Keys, id string) error {
	distrusted, err := keys.Distrust(ctx, f.purpose, id)
	if errors.Is(err, authn.ErrNoSuchKey) {
		return &domain.Error{Kind: domain.KindNotFound, Code: domain.CodeNotFound, Message: err.Error()}
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(distrusted, "\n")); err != nil {
		return err
	}
	if len(distrusted) > 1 {
		cmd.PrintErrln(domain.CountText(len(distrusted)-1, "other vouched for it, and is", "others vouched for it, and are"), "not trusted any more either.")
	}
	cmd.PrintErrln(f.distrustSteps)
	return nil
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
