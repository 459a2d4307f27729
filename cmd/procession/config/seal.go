package config

import (
	"fmt"

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

// checkSettings validates the settings.
func (c *SealKeys) checkSettings() error {
	var wrong faults
	wrong.require(c.SealKeyKeeper == "" || authn.SupportsKeyWrapper(c.SealKeyKeeper),
		"seal-key-keeper", "must be a URL such as awskms:///alias/procession?region=eu-south-2")
	return wrong.join()
}

// RequireSealKey returns an error without --seal-key-file.
func (c *SealKeys) RequireSealKey() error {
	if c.SealKeyFile == "" {
		return fmt.Errorf("%w; make a key with: procession seal-key create --out seal.key", missingSetting("seal-key-file"))
	}
	return nil
}

// SealKeyFiles returns the files of the seal keys.
func (c *SealKeys) SealKeyFiles() authn.SealKeyFiles {
	return authn.SealKeyFiles{Active: c.SealKeyFile, Earlier: c.EarlierSealKeyFiles}
}
