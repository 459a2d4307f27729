package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

func newDocumentsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "documents", Short: "Copy the stored documents, or adopt a directory of them", RunE: runGroup}
	cmd.AddCommand(newDocumentsAdoptCommand(), newDocumentsCopyCommand())
	return cmd
}

func newDocumentsAdoptCommand() *cobra.Command {
	var force bool
	cmd := newConfiguredCommand("adopt", "Mark the directory of --documents-url after a check",
		withDocuments(func(ctx context.Context, cmd *cobra.Command, db *persistence.DB, documents *blobstore.Store) error {
			n, err := storage.Adopt(ctx, db.Background().Reader(), documents, force)
			if err == nil {
				cmd.Printf("Read %s, and wrote %s.\n", domain.CountText(n, "document", "documents"), blobstore.MarkerName)
			}
			return err
		}))
	cmd.Long = "Reads 100 random documents and compares them with their checksums. If all are there, it writes the file\n" +
		blobstore.MarkerName + " into the directory: without it the service does not start, so that it never writes into the place\n" +
		"of a volume that is not mounted."
	cmd.Flags().BoolVar(&force, "force", false, "adopt the directory although documents are lost")
	return cmd
}

func newDocumentsCopyCommand() *cobra.Command {
	var to string
	cmd := newConfiguredCommand("copy", "Copy all documents of --documents-url into another store",
		withDocuments(func(ctx context.Context, cmd *cobra.Command, db *persistence.DB, documents *blobstore.Store) error {
			target, err := blobstore.Open(ctx, to)
			if err != nil {
				return config.UsageError{Err: fmt.Errorf("--to: %w", err)}
			}
			defer func() { _ = target.Close() }()
			done, err := storage.Copy(ctx, db.Background().Reader(), documents, target)
			cmd.Printf("Copied %s, found %d there.\n", domain.CountText(done.Copied, "document", "documents"), done.Present)
			if err == nil && done.Lost > 0 {
				err = fmt.Errorf("%s in --documents-url", domain.CountText(done.Lost, "document is missing or damaged", "documents are missing or damaged"))
			}
			return err
		}))
	cmd.Long = "Copies documents between directories and buckets, and verifies each by its checksum. It can be interrupted and repeated;\n" +
		"documents that are there already are verified and kept. Copy while the service runs, stop the service, copy once more, and start it\n" +
		"with --documents-url of the other store."
	cmd.Flags().StringVar(&to, "to", "", "`URL` of the other store, as --documents-url; required")
	// Fails only for flags that do not exist.
	_ = cmd.MarkFlagRequired("to")
	return cmd
}

// withDocuments returns the function of a command on the database and the documents.
func withDocuments(
	run func(ctx context.Context, cmd *cobra.Command, db *persistence.DB, documents *blobstore.Store) error,
) func(context.Context, *cobra.Command, config.Config) error {
	return func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		db, err := server.OpenDatabase(ctx, c)
		if err != nil {
			return err
		}
		defer db.Close()
		documents, err := blobstore.Open(ctx, c.DocumentsURL)
		if err != nil {
			return config.UsageError{Err: fmt.Errorf("--documents-url: %w", err)}
		}
		defer func() { _ = documents.Close() }()
		return run(ctx, cmd, db, documents)
	}
}
