package main

import (
	"context"
	"strings"

	"github.com/procession-dev/procession/authn"
)

// openSealer reads the seal keys of the configuration.
func openSealer(ctx context.Context, c Config) (*authn.Sealer, error) {
	files := c.sealKeyFiles()
	keeper, err := openKeeper(ctx, c)
	if err != nil {
		return nil, err
	}
	if keeper != nil {
		defer func() { _ = keeper.Close() }()
		files.Keeper = keeper
	}
	return authn.NewSealerFromFiles(ctx, files)
}

func (c *Config) sealKeyFiles() authn.SealKeyFiles {
	return authn.SealKeyFiles{Active: c.SealKeyFile, Earlier: c.EarlierSealKeyFiles}
}

// openKeeper opens the keeper of the configuration, nil when it names none.
func openKeeper(ctx context.Context, c Config) (*authn.KeyWrapper, error) {
	if c.SealKeyKeeper == "" {
		return nil, nil //nolint:nilnil // no keeper is what the configuration says
	}
	return authn.OpenKeeper(ctx, c.SealKeyKeeper)
}

// redactKeeper hides the URL of a keeper that may have a key in it.
func redactKeeper(url string) string {
	if url == "" || strings.HasPrefix(url, "awskms:") {
		return url
	}
	return redacted
}
