package server

import (
	"context"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
)

// OpenSealer reads the seal keys of the configuration.
func OpenSealer(ctx context.Context, c config.Config) (*authn.Sealer, error) {
	files := c.SealKeyFiles()
	keeper, err := OpenKeeper(ctx, c)
	if err != nil {
		return nil, err
	}
	if keeper != nil {
		defer func() { _ = keeper.Close() }()
		files.Keeper = keeper
	}
	return authn.NewSealerFromFiles(ctx, files)
}

// OpenKeeper opens the key management service of --seal-key-keeper, nil without one.
func OpenKeeper(ctx context.Context, c config.Config) (*authn.KeyWrapper, error) {
	if c.SealKeyKeeper == "" {
		return nil, nil //nolint:nilnil // none is configured
	}
	return authn.OpenKeyWrapper(ctx, c.SealKeyKeeper)
}
