package authn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/internal/openid"
	"github.com/procession-dev/procession/persistence"
)

// subjectHash is how many bytes of the hash of a subject are shown: enough to
// distinguish subjects.
const subjectHash = 8

// OIDC authenticates users by the JSON Web Tokens of OpenID Connect issuers. It
// is safe for concurrent use.
type OIDC struct {
	db      *persistence.DB
	clock   func() time.Time
	issuers map[string]*trustedIssuer
	people  Provisioner
}

// trustedIssuer is an issuer with all defaults filled in, and its keys.
type trustedIssuer struct {
	OIDCIssuer

	keys *issuerKeys
	code *codeFlow
}

// NewOIDC returns an OIDC that trusts the issuers. It makes no requests: the keys
// of an issuer are fetched when they are first needed, or by RefreshEvery.
func NewOIDC(db *persistence.DB, issuers []OIDCIssuer, clock func() time.Time) (*OIDC, error) {
	if err := CheckOIDCIssuers(issuers); err != nil {
		return nil, fmt.Errorf("trusting OpenID Connect issuers: %w", err)
	}
	o := &OIDC{db: db, clock: clock, issuers: make(map[string]*trustedIssuer, len(issuers))}
	client := openid.NewClient()
	for _, i := range issuers {
		i = i.WithDefaults()
		source := keySource{issuer: i.Issuer, jwksURL: i.JWKSURL, client: client}
		o.issuers[i.Issuer] = &trustedIssuer{
			OIDCIssuer: i, keys: newIssuerKeys(source, clock), code: newCodeFlow(i.Issuer, client, clock),
		}
	}
	return o, nil
}

// RefreshEvery fetches the keys of all issuers at once and then at an interval,
// until ctx ends, so that keys that an issuer withdrew are dropped. Failures are
// logged.
func (o *OIDC) RefreshEvery(ctx context.Context, interval time.Duration, log *slog.Logger) {
	if len(o.issuers) == 0 {
		return
	}
	refresh := func() {
		for name, issuer := range o.issuers {
			if err := issuer.keys.refresh(ctx); err != nil {
				log.LogAttrs(ctx, slog.LevelWarn, "fetching the keys of an OpenID Connect issuer failed",
					slog.String("issuer", name), slog.Any("error", err))
			}
		}
	}
	refresh()
	loop.Every(ctx, interval, refresh)
}

// findCaller returns the user of a token and until when the token is valid. It returns
// UNAUTHENTICATED, with the reason, for a token that authenticates no user, and
// UNAVAILABLE when the issuer's keys are not known and the issuer does not
// answer.
func (o *OIDC) findCaller(ctx context.Context, raw string, now time.Time) (domain.Caller, *time.Time, error) {
	issuer, claims, err := o.verifyToken(ctx, raw, now, "")
	if err != nil {
		return domain.Caller{}, nil, err
	}
	caller, err := o.findUser(ctx, issuer, claims.Subject, claims.email, now)
	if err != nil {
		return domain.Caller{}, nil, issuer.withIssuer(err, claims)
	}
	expires := numericDate(*claims.Expiry)
	return caller, &expires, nil
}

// findUser returns the user that a subject of an issuer is linked to, or is to be linked
// to by a verified address.
func (o *OIDC) findUser(
	ctx context.Context, issuer *trustedIssuer, subject, email string, now time.Time,
) (domain.Caller, error) {
	caller, err := o.db.FindOIDCUser(ctx, persistence.OIDCSubject{
		Issuer: issuer.Issuer, Subject: subject, Email: email,
		Tenants: issuer.signInScopes(), EmailDomains: issuer.emailDomains(), Operators: issuer.Operators,
	}, now)
	caller.OAuth = err == nil
	return caller, err
}

// withIssuer adds the issuer and subject to the refusal of a token that the issuer
// signed.
func (i *trustedIssuer) withIssuer(err error, claims tokenClaims) error {
	if denial, ok := errors.AsType[*domain.SignInError](err); ok {
		sum := sha256.Sum256([]byte(i.Issuer + "\x00" + claims.Subject))
		denial.Issuer, denial.Trusted = i.Issuer, true
		if denial.TenantCodes == nil {
			denial.TenantCodes = i.signInScopes()
		}
		denial.Subject = hex.EncodeToString(sum[:subjectHash])
	}
	return err
}

// verifyToken returns the claims of a token that one of the issuers signed and that is valid now: an ID
// token for the client clientID, or if that is empty a credential for one of the issuer's
// audiences. It returns the same errors as find.
func (o *OIDC) verifyToken(ctx context.Context, raw string, now time.Time, clientID string) (*trustedIssuer, tokenClaims, error) {
	fail := func(reason domain.SignInReason, issuer string) (*trustedIssuer, tokenClaims, error) {
		return nil, tokenClaims{}, domain.RefuseSignIn(domain.SignInError{Reason: reason, Issuer: issuer})
	}
	header, named, ok := peekToken(raw)
	if !ok {
		return fail(domain.SignInMalformed, named)
	}
	issuer, ok := o.issuers[named]
	switch {
	case !ok:
		return fail(domain.SignInUnknownIssuer, named)
	case !slices.Contains(issuer.Algorithms, header.Algorithm):
		return fail(domain.SignInBadSignature, named)
	}
	audiences, typed := issuer.Audiences, issuer.TokenType == TokenTypeAny || header.isAccessToken()
	if clientID != "" {
		audiences, typed = []string{clientID}, !header.isAccessToken()
	}
	if !typed {
		return fail(domain.SignInWrongTokenType, named)
	}
	candidates, err := issuer.keys.findKeys(ctx, header)
	switch {
	case domain.HasCode(err, domain.CodeUnauthenticated):
		return fail(domain.SignInBadSignature, named)
	case err != nil:
		return nil, tokenClaims{}, err
	}
	// The library would allow five minutes before nbf, none after exp, and one
	// audience only: times and audiences are checked below.
	verifier := oidc.NewVerifier(issuer.Issuer, &oidc.StaticKeySet{PublicKeys: candidates}, &oidc.Config{
		SkipClientIDCheck: true, SkipExpiryCheck: true, SupportedSigningAlgs: []string{header.Algorithm},
	})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return fail(domain.SignInBadSignature, named)
	}
	claims, ok := readClaims(token, issuer.EmailClaim, issuer.GroupsClaim)
	if !ok {
		return fail(domain.SignInMalformed, named)
	}
	if reason := claims.refusalReason(audiences, now, *issuer.ClockSkew); reason != "" {
		_, _, err := fail(reason, named)
		return nil, tokenClaims{}, issuer.withIssuer(err, claims)
	}
	return issuer, claims, nil
}
