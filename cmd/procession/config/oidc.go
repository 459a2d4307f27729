package config

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/authn"
)

// oidcIssuers contains the OpenID Connect issuers that users sign in through: a list in the file, a list in
// YAML or JSON in the environment and in the flag.
type oidcIssuers []authn.OIDCIssuer

// Set implements pflag.Value. Empty text stands for no issuer.
func (o *oidcIssuers) Set(text string) error {
	var issuers []authn.OIDCIssuer
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&issuers); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("must be a list of issuers: %w", err)
	}
	*o = issuers
	return nil
}

// String implements pflag.Value. Set accepts the result.
func (o *oidcIssuers) String() string {
	if len(*o) == 0 {
		return ""
	}
	text, err := yaml.Marshal([]authn.OIDCIssuer(*o)) //nolint:gosec // it names a file, not the secret in it
	if err != nil {
		return ""
	}
	return string(text)
}

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
