package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/domain"
)

func newSealKeyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "seal-key", Short: "Create and change the key that seals secrets in the database", RunE: runGroup}
	cmd.AddCommand(newSealKeyCreateCommand(), newSealKeyResealCommand())
	return cmd
}

func newSealKeyCreateCommand() *cobra.Command {
	var out string
	cmd := newConfiguredCommand("create", "Create a seal key in a new file",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			keeper, err := server.OpenKeeper(ctx, c)
			if err != nil {
				return err
			}
			if keeper != nil {
				defer func() { _ = keeper.Close() }()
			}
			err = authn.CreateSealKey(ctx, out, keeper)
			if errors.Is(err, fs.ErrExist) {
				return &domain.Error{
					Kind: domain.KindConflict, Code: domain.CodeConflict, Message: out + " exists already and was not changed",
				}
			}
			if err != nil {
				return err
			}
			cmd.PrintErrf("Wrote a key to %s. Back it up, apart from the database: without it sealed secrets are lost.\n", out)
			return nil
		})
	cmd.Long = "Creates a seal key in a new file that only its owner can read. With --seal-key-keeper the file contains the key\n" +
		"encrypted by the key management service."
	cmd.Flags().StringVar(&out, "out", "", "file to write; required")
	// Fails only for flags that do not exist.
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

func newSealKeyResealCommand() *cobra.Command {
	var force bool
	cmd := newConfiguredCommand("reseal", "Seal all secrets in the database with --seal-key-file",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			if err := errors.Join(c.RequireDatabase(), c.RequireSealKey()); err != nil {
				return err
			}
			sealer, err := server.OpenSealer(ctx, c)
			if err != nil {
				return err
			}
			db, err := server.OpenDatabase(ctx, c, sealer.KeyNames()...)
			if err != nil {
				return err
			}
			defer db.Close()
			if !force {
				if err := authn.CheckSealKeyHolders(ctx, db, sealer); err != nil {
					return fmt.Errorf("%w: restart them with it, or use --force", err)
				}
			}
			done, err := authn.Reseal(ctx, db, sealer)
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 3, ' ', 0)
			_, _ = fmt.Fprintln(w, "TABLE\tSECRETS\tRESEALED")
			for _, table := range done {
				_, _ = fmt.Fprintf(w, "%s\t%d\t%d\n", table.Table, table.Secrets, table.Changed)
			}
			return errors.Join(err, w.Flush())
		})
	cmd.Long = "Seals with the key of --seal-key-file all secrets in the database that are sealed with one of\n" +
		"--earlier-seal-key-files. It may be repeated, and run while the service does. Once it has, and every replica has the\n" +
		"key of --seal-key-file as its own, the earlier ones are needed for backups only.\n\n" +
		"It refuses while a process of the service is connected to the database that cannot open what is sealed with the\n" +
		"key: such a replica could not start again. --force seals all the same."
	cmd.Flags().BoolVar(&force, "force", false, "seal also while connected processes do not have the key")
	return cmd
}
