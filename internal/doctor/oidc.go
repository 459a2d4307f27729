package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/procession-dev/procession/authn"
)

// maxIssuerAnswer bounds what is read of an issuer's answer, in bytes.
const maxIssuerAnswer = 1 << 20

// checkOIDC asks every OpenID Connect issuer for its keys.
func (d *doctor) checkOIDC(ctx context.Context) Finding {
	issuers := d.OIDCIssuers
	if len(issuers) == 0 {
		return ok("there are none")
	}
	client := &http.Client{
		Timeout:       checkTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	worst := ok("%d answer", len(issuers))
	if !issuers[0].Scoped() {
		worst = warn("give the issuer tenants or email-domains in --oidc-issuers",
			"issuer %s may let in the users of all tenants", issuers[0].Issuer)
	}
	for _, issuer := range issuers {
		if err := askIssuer(ctx, client, issuer); err != nil {
			worst = worse(worst, fail("see that the service reaches the issuer, and that --oidc-issuers is right",
				"issuer %s: %s", issuer.Issuer, reason(err)))
		}
	}
	return worst
}

// askIssuer fetches the keys of an issuer as the service does.
func askIssuer(ctx context.Context, client *http.Client, issuer authn.OIDCIssuer) error {
	address := issuer.JWKSURL
	if address == "" {
		var discovered struct {
			Issuer  string `json:"issuer"`
			JWKSURI string `json:"jwks_uri"`
		}
		at := strings.TrimSuffix(issuer.Issuer, "/") + "/.well-known/openid-configuration"
		if err := fetchJSON(ctx, client, at, &discovered); err != nil {
			return err
		}
		if discovered.Issuer != issuer.Issuer {
			return fmt.Errorf("it calls itself %q", discovered.Issuer)
		}
		address = discovered.JWKSURI
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := fetchJSON(ctx, client, address, &set); err != nil {
		return err
	}
	if len(set.Keys) == 0 {
		return fmt.Errorf("%s holds no key", address)
	}
	return nil
}

func fetchJSON(ctx context.Context, client *http.Client, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, answer.Status)
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxIssuerAnswer)).Decode(into); err != nil {
		return fmt.Errorf("%s answers with something else than JSON: %w", address, err)
	}
	return nil
}
