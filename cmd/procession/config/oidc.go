package config

import (
	"fmt"
	"slices"

	"github.com/procession-dev/procession/authn"
)

// oidcIssuers contains the OpenID Connect issuers that users sign in through.
type oidcIssuers []authn.OIDCIssuer

// Set implements pflag.Value.
func (o *oidcIssuers) Set(text string) (err error) {
	*o, err = parseObjects[authn.OIDCIssuer](text, "issuers")
	return err
}

// String implements pflag.Value. Set accepts the result.
func (o *oidcIssuers) String() string { return formatObjects(*o) }

func (o *oidcIssuers) objects() any { return []authn.OIDCIssuer(*o) }

// Type implements pflag.Value.
func (o *oidcIssuers) Type() string { return "list" }

// setDefaults sets the defaults of the issuers.
func (o *oidcIssuers) setDefaults() {
	for i, issuer := range *o {
		(*o)[i] = issuer.WithDefaults()
	}
}

// contains reports whether an issuer is listed. The issuer of engine tokens must not be: its tokens must not give access to the
// REST API.
func (o *oidcIssuers) contains(name string) bool {
	return slices.ContainsFunc(*o, func(i authn.OIDCIssuer) bool { return i.Issuer == name })
}

// check validates the issuers.
func (o *oidcIssuers) check() error {
	if err := authn.CheckOIDCIssuers(*o); err != nil {
		return fmt.Errorf("must be a list of issuers: %w", err)
	}
	return nil
}
