package signin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/lang"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/locale"
)

const (
	// preferenceLifetime is the lifetime of preferences in browsers.
	preferenceLifetime = 365 * 24 * time.Hour
)

// DemoUser is a user of the local stack. Its token is public.
type DemoUser struct {
	Name  string
	About string
	Token string
}

// Screens are the screens of signing in. All fields are required unless their comment says
// otherwise.
type Screens struct {
	Sessions *authn.Sessions
	OIDC     *authn.OIDC
	// Demo are users that are signed in by one click; nil where there are none.
	Demo []DemoUser
	// BaseURL is the public URL of the service, "" to use the URL of each request.
	BaseURL string
}

// Show shows the ways to sign in.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	back := web.LocalPath(v.URL.Query().Get("return"))
	if signedIn(v) {
		return web.SeeOther(back), nil
	}
	return s.showSignIn(v, back, http.StatusOK, ""), nil
}

// showSignIn returns the sign-in page with the error of the last attempt.
func (s *Screens) showSignIn(v *web.Visit, back string, status int, problem string) *web.Answer {
	return &web.Answer{
		Title: ui.T(v.Context(), "Sign in"), Bare: true, Status: status,
		Body: signInPage(choices{Issuers: s.OIDC.SignInIssuers(), Demo: s.Demo, Return: back, Problem: problem}),
	}
}

// SignIn signs in with a personal access token.
func (s *Screens) SignIn(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	back, token := web.LocalPath(form.Get("return")), locale.Trim(form.Get("token"))
	proof, err := checkProof(v, token, func() (authn.Proof, error) { return s.Sessions.ProveByToken(v.Context(), token) })
	if domain.HasCode(err, domain.CodeRateLimited) {
		return s.showSignIn(v, back, http.StatusTooManyRequests, tooMany(v.Context())), nil
	}
	return s.finishSignIn(v, proof, back, err)
}

// finishSignIn opens the session of a user who has proven who they are, or shows the sign-in page with
// the problem.
func (s *Screens) finishSignIn(v *web.Visit, proof authn.Proof, back string, err error) (*web.Answer, error) {
	if denial, is := errors.AsType[*domain.SignInError](err); is {
		return s.showSignIn(v, back, http.StatusUnauthorized, problemText(v.Context(), denial)), nil
	}
	if err != nil {
		return nil, err
	}
	// An earlier session ends, so that its cookie is not valid for the new one.
	if signedIn(v) {
		if err := s.endSession(v, v.Session.ID, domain.SessionReplaced); err != nil {
			return nil, err
		}
	}
	secret, _, err := s.Sessions.Open(v.Context(), proof, v.UserAgent(), chain.Address(v.Context()))
	if err != nil {
		return nil, err
	}
	chain.Trust(v.Context(), secret.Reveal())
	return web.SeeOther(back, web.SessionCookie(v.Request, secret, s.Sessions.Lifetime()), web.Cookie(v.Request, attemptCookie, "", 0)), nil
}

// checkProof returns the proof of who signs in, within the limit of failed sign-ins of an address.
func checkProof(v *web.Visit, credentials string, by func() (authn.Proof, error)) (proof authn.Proof, err error) {
	_, err = chain.SignIn(v.Context(), credentials, func() (domain.Caller, error) {
		proof, err = by()
		return proof.Caller(), err
	})
	return proof, err
}

// problemText returns the text about a refused sign-in. It does not disclose anything about credentials.
func problemText(ctx context.Context, denial *domain.SignInError) string {
	switch {
	case denial.Reason == domain.SignInForeignResponse:
		return ui.T(ctx, "The sign-in took too long or was begun in another browser. Try again.")
	case denial.Reason == domain.SignInIssuerRefused:
		return ui.T(ctx, "The identity provider did not sign you in.")
	case denial.Reason == domain.SignInNotEligible:
		return ui.T(ctx, "You are signed in at the identity provider, but your account there does not get access here. Ask an administrator.")
	case denial.Reason == domain.SignInDeleted:
		return ui.T(ctx, "Your access has ended. Ask an administrator if you need it again.")
	case denial.Issuer != "":
		return ui.T(ctx, "Sign-in failed: the response of the identity provider is not valid here, or you have no access.")
	default:
		return ui.T(ctx, "Sign-in failed: the token is not valid here, or you have no access.")
	}
}

func tooMany(ctx context.Context) string {
	return ui.T(ctx, "Too many failed sign-ins from here. Try again in a minute.")
}

// endSession ends a session of the visitor.
func (s *Screens) endSession(v *web.Visit, id uuid.UUID, reason domain.SessionEndReason) error {
	return s.Sessions.End(v.Context(), v.Call, domain.SessionEnd{
		PrincipalID: v.Call.PrincipalID, ID: id, By: v.Call.PrincipalID, Reason: reason, Address: chain.Address(v.Context()),
	})
}

// ToIssuer sends the visitor to an issuer to sign in there. It answers a form of the console only:
// a link of another site must not start a sign-in.
func (s *Screens) ToIssuer(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	to, attempt, err := s.OIDC.BeginSignIn(v.Context(), form.Get("issuer"), v.Address(s.BaseURL), signedIn(v) && form.Get("again") != "")
	if err != nil {
		return nil, err
	}
	attempt.Return = web.LocalPath(form.Get("return"))
	return &web.Answer{
		Title: ui.T(v.Context(), "Sign in"), Bare: true, Onward: to, Body: onwardPage(to),
		Cookies: []*http.Cookie{keepAttempt(v, attempt)},
	}, nil
}

// FromIssuer signs in a visitor that an issuer has sent back.
func (s *Screens) FromIssuer(v *web.Visit) (*web.Answer, error) {
	attempt, ok := attemptOf(v)
	again := attempt.Again && signedIn(v)
	proof, err := checkProof(v, "", func() (authn.Proof, error) {
		if !ok {
			return authn.Proof{}, domain.RefuseSignIn(domain.SignInError{Reason: domain.SignInForeignResponse})
		}
		proof, err := s.OIDC.ProveByCode(v.Context(), attempt, authn.SignInResponse{
			Base: v.Address(s.BaseURL), Path: v.URL.Path, Query: v.URL.Query(),
		})
		if err == nil && again {
			err = s.Sessions.Renew(v.Context(), v.Session, proof)
		}
		return proof, err
	})
	if again {
		return s.signedInAgain(v, err)
	}
	return s.finishSignIn(v, proof, web.LocalPath(attempt.Return), err)
}

// SignOut ends the session of the browser.
func (s *Screens) SignOut(v *web.Visit) (*web.Answer, error) {
	if signedIn(v) {
		if err := s.endSession(v, v.Session.ID, domain.SessionSignedOut); err != nil {
			return nil, err
		}
	}
	return web.SignedOut(v.Request), nil
}

// Prefer stores how the visitor wants pages to be, in cookies that the script of the
// pages reads too.
func (s *Screens) Prefer(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	answer := web.SeeOther(web.LocalPath(form.Get("return")))
	for name, value := range map[string]string{
		ui.LanguageCookie: lang.Match(form.Get("language"), language.English.String()).String(),
		ui.ThemeCookie:    ui.Theme(form.Get("theme")),
		ui.KeysCookie:     ui.Keys(form.Get("keys")),
	} {
		answer.Cookies = append(answer.Cookies, &http.Cookie{ //nolint:gosec // scripts read it, and it holds no secret
			Name: name, Value: value, Path: web.Root, MaxAge: int(preferenceLifetime.Seconds()),
			SameSite: http.SameSiteLaxMode, Secure: web.Secure(v.Request),
		})
	}
	return answer, nil
}
