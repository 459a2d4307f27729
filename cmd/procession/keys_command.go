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
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// keyFamily contains the keys for one purpose and the sentences about them.
type keyFamily struct {
	purpose persistence.SigningKeyPurpose
	use     string
	// what is one of them.
	what, short string
	// rotated and distrusted say what is left to do.
	rotated, distrusted string
}

func newKeysCommand() *cobra.Command {
	return keyFamily{
		purpose: persistence.SignsEngineTokens, use: "keys", what: "key", short: "the keys that sign engine tokens",
		rotated: "Nothing else is to be done: Temporal reads the keys of the service again by itself.",
		distrusted: "Tokens that it signed are refused as soon as Temporal has read the keys of the service again: within\n" +
			"--jwks-refresh, and replicas sign with another key within --key-reload. Workers get refusals until they fetch a\n" +
			"new token: restart those that do not do so by themselves.",
	}.command()
}

// command groups the commands on the keys.
func (f keyFamily) command() *cobra.Command {
	cmd := &cobra.Command{Use: f.use, Short: "Look at, rotate and distrust " + f.short, RunE: onlyCommands}
	cmd.AddCommand(
		configured("list", "List "+f.short+", the newest first", f.withKeys(f.list)),
		configured("rotate", "Make a new "+f.what+" in place of the one in use", f.withKeys(f.rotate)),
		f.distrustCommand(),
	)
	return cmd
}

// withKeys opens the keys of the database for run. The service need not be there.
func (f keyFamily) withKeys(
	run func(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error,
) func(context.Context, *cobra.Command, Config) error {
	return func(ctx context.Context, cmd *cobra.Command, c Config) error {
		k, err := openKeys(ctx, c, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer k.db.Close()
		return run(ctx, cmd, k.keys)
	}
}

func (f keyFamily) list(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error {
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
		f.row(w, key)
	}
	return w.Flush()
}

func (f keyFamily) row(w io.Writer, key authn.KeyInfo) {
	until := "-"
	if key.TrustedUntil != nil {
		until = at(*key.TrustedUntil)
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s", key.ID, key.State, at(key.CreatedAt), until)
	if f.purpose == persistence.SignsCertificates {
		_, _ = fmt.Fprintf(w, "\t%s\t%s", key.Name, at(key.NotAfter))
	}
	_, _ = fmt.Fprintln(w)
}

func (f keyFamily) rotate(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error {
	if err := keys.Rotate(ctx, f.purpose); err != nil {
		return err
	}
	found, err := keys.List(ctx, f.purpose)
	if err != nil {
		return err
	}
	made := found[0]
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), made.ID); err != nil {
		return err
	}
	cmd.PrintErrf("Made the %s %s, which signs from %s on.\n", f.what, made.ID, at(made.SignsFrom))
	for _, key := range found[1:] {
		if key.State == authn.KeySigning && key.TrustedUntil != nil {
			cmd.PrintErrf("The one before, %s, signs until then and is trusted until %s.\n", key.ID, at(*key.TrustedUntil))
		}
	}
	cmd.PrintErrln(f.rotated)
	return nil
}

func (f keyFamily) distrustCommand() *cobra.Command {
	cmd := configured("distrust ID", "End at once the trust in a "+f.what+", and in all that it signed",
		func(ctx context.Context, cmd *cobra.Command, c Config) error {
			return f.withKeys(func(ctx context.Context, cmd *cobra.Command, keys *authn.Keys) error {
				return f.distrust(ctx, cmd, keys, cmd.Flags().Arg(0))
			})(ctx, cmd, c)
		})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{fmt.Errorf("%s needs the id of one %s: see %s list", cmd.CommandPath(), f.what, f.use)}
		}
		return nil
	}
	cmd.Long = "Ends at once the trust in a " + f.what + ", and in all that it signed: for one that may be in wrong hands. To\n" +
		"replace one in time use rotate, which needs no restart."
	return cmd
}

func (f keyFamily) distrust(ctx context.Context, cmd *cobra.Command, keys *authn.Keys, id string) error {
	concerned, err := keys.Distrust(ctx, f.purpose, id)
	if errors.Is(err, authn.ErrNoSuchKey) {
		return &domain.Error{Kind: domain.KindNotFound, Code: domain.CodeNotFound, Message: err.Error()}
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(concerned, "\n")); err != nil {
		return err
	}
	if len(concerned) > 1 {
		cmd.PrintErrf("%d others vouched for it, and are not trusted any more either.\n", len(concerned)-1)
	}
	cmd.PrintErrln(f.distrusted)
	return nil
}

func at(t time.Time) string { return t.UTC().Format(time.RFC3339) }
