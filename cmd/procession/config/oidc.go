package config

import (
	"errors"
	"fmt"
	"io"
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
		return fmt.Errorf("oidc-issuers is not a list of issuers: %w", err)
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

// checkSettings validates the issuers. The issuer of engine tokens is refused: its tokens must not give access to the
// REST API.
func (o *oidcIssuers) checkSettings(engineIssuer string) error {
	var wrong []error
	for _, issuer := range *o {
		if issuer.Issuer == engineIssuer {
			wrong = append(wrong, errors.New("--oidc-issuers must not hold the --issuer of engine tokens"))
		}
	}
	if err := authn.CheckOIDCIssuers(*o); err != nil {
		wrong = append(wrong, fmt.Errorf("--oidc-issuers: %w", err))
	}
	return errors.Join(wrong...)
}
