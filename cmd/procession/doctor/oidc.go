package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/internal/openid"
)

// checkOIDC asks every OpenID Connect issuer for its keys.
func (d *doctor) checkOIDC(ctx context.Context) Finding {
	issuers := d.OIDCIssuers
	if len(issuers) == 0 {
		return ok("there are none")
	}
	worst := ok("%d answer", len(issuers))
	if callbacks := d.redirectURIs(); callbacks != "" {
		worst = ok("%d answer; redirect URIs of the console: %s", len(issuers), callbacks)
	}
	if !issuers[0].Scoped() {
		worst = warn("set tenants or email-domains of the issuer in --oidc-issuers",
			"issuer %s may sign in users of all tenants", issuers[0].Issuer)
	}
	client := openid.NewClient()
	client.Timeout = checkTimeout
	for _, issuer := range issuers {
		if err := askIssuer(ctx, client, issuer); err != nil {
			worst = worseFinding(worst, fail("check that the service reaches the issuer, and --oidc-issuers",
				"issuer %s: %s", issuer.Issuer, errorText(err)))
		}
	}
	return worst
}

// redirectURIs returns the redirect URIs to register with the issuers that the console offers.
func (d *doctor) redirectURIs() string {
	var uris []string
	for _, issuer := range d.OIDCIssuers {
		if issuer.ClientID != "" {
			uris = append(uris, cmp.Or(d.PublicURL, "https://HOST")+issuer.Callback())
		}
	}
	return strings.Join(uris, ", ")
}

// askIssuer fetches the keys of an issuer as the service does.
func askIssuer(ctx context.Context, client *http.Client, issuer authn.OIDCIssuer) error {
	address := issuer.JWKSURL
	if address == "" {
		provider, err := openid.Discover(ctx, client, issuer.Issuer)
		if err != nil {
			return err
		}
		address = provider.KeysURL
	}
	keys, err := openid.FetchKeys(ctx, client, address)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return fmt.Errorf("%s contains no key", address)
	}
	return nil
}
