package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/persistence"
)

// Keyring contains the database and the keys that are sealed in it.
type Keyring struct {
	DB     *persistence.DB
	Sealer *authn.Sealer
	Keys   *authn.Keys
	Issuer *authn.Issuer
}

// OpenKeys opens the database, prepares its schema and creates missing keys. The caller closes the database.
func OpenKeys(ctx context.Context, c config.Config, log *slog.Logger) (*Keyring, error) {
	return openKeysWithin(ctx, c, 0, log)
}

// openKeysWithin waits at most timeout for the database, and opens its keys.
func openKeysWithin(ctx context.Context, c config.Config, timeout time.Duration, log *slog.Logger) (_ *Keyring, err error) {
	if err := errors.Join(c.RequireDatabase(), c.RequireSealKey()); err != nil {
		return nil, err
	}
	sealer, err := OpenSealer(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, path := range c.SealKeyFiles().Exposed() {
		log.WarnContext(ctx, "every user of the machine can read the seal key", slog.String("file", path))
	}
	db, err := OpenDatabase(ctx, c, sealer.KeyNames()...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	if err := awaitDatabase(ctx, db, timeout, log); err != nil {
		return nil, err
	}
	if err := PrepareSchema(ctx, db, c.Migrate); err != nil {
		return nil, err
	}
	keys := authn.NewKeys(db, sealer, time.Now, authn.WithPublishDelay(c.KeyPublishDelay))
	if err := keys.EnsureKeys(ctx); err != nil {
		return nil, err
	}
	log.InfoContext(ctx, "keys loaded")
	issuer, err := authn.NewIssuer(keys, c.Issuer, c.CertificateLifetime)
	if err != nil {
		return nil, err
	}
	return &Keyring{DB: db, Sealer: sealer, Keys: keys, Issuer: withClusters(issuer, c)}, nil
}
