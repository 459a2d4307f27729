package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/authn"
)

// SealKeys configures the keys that seal secrets in the database.
type SealKeys struct {
	SealKeyFile         string
	EarlierSealKeyFiles textList
	SealKeyKeeper       string
}

// bindFlags declares the flags.
func (c *SealKeys) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.SealKeyFile, "seal-key-file", "", "file of the key that seals secrets in the database (32 bytes, base64)")
	f.Var(&c.EarlierSealKeyFiles, "earlier-seal-key-files",
		"`files` of earlier seal keys, which open secrets but do not seal new ones; separated by commas")
	f.StringVar(&c.SealKeyKeeper, "seal-key-keeper", "",
		"URL of the key management service that encrypts the seal key in its file: awskms:///alias/…?region=… (may be secret)")
}

func (c *SealKeys) requireSealKey() error {
	if c.SealKeyFile == "" {
		return fmt.Errorf("%w; make a key with: procession seal-key create --out seal.key", missingSetting("seal-key-file"))
	}
	return nil
}

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

func (c *SealKeys) sealKeyFiles() authn.SealKeyFiles {
	return authn.SealKeyFiles{Active: c.SealKeyFile, Earlier: c.EarlierSealKeyFiles}
}

// openKeeper opens the key management service of --seal-key-keeper, nil without one.
func openKeeper(ctx context.Context, c Config) (*authn.KeyWrapper, error) {
	if c.SealKeyKeeper == "" {
		return nil, nil //nolint:nilnil // none is configured
	}
	return authn.OpenKeeper(ctx, c.SealKeyKeeper)
}

// redactKMS replaces a URL that may contain a key.
func redactKMS(url string) string {
	if url == "" || strings.HasPrefix(url, "awskms:") {
		return url
	}
	return redacted
}
