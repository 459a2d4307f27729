package signin

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/locale"
)

// tokenField is the field of the form for a fresh sign-in with the access token. Fields of the form that
// needs the sign-in have no such name.
const tokenField = "sign-in-token"

// confirmation is a form that needs a fresh sign-in.
type confirmation struct {
	// Path is the path that the form is for, Fields its values.
	Path   string
	Fields url.Values
	// Issuer is the issuer of the session, zero if it was opened with a token.
	Issuer authn.SignInIssuer
	// Demo is the user if that is a demo user, zero for any other.
	Demo DemoUser
	// Problem is the reason why the last attempt failed, "" for none.
	Problem string
}

// Confirm shows the page on which the user signs in again. It contains the values of the form, which is
// sent again afterwards.
func (s *Screens) Confirm(v *web.Visit) (*web.Answer, error) {
	fields, err := v.Form()
	if err != nil {
		return nil, err
	}
	return s.showConfirmation(v, v.URL.RequestURI(), fields, http.StatusForbidden, ""), nil
}

func (s *Screens) showConfirmation(v *web.Visit, path string, fields url.Values, status int, problem string) *web.Answer {
	c := confirmation{Path: path, Fields: fields, Problem: problem}
	for _, issuer := range s.OIDC.SignInIssuers() {
		if issuer.Issuer == v.Session.Issuer {
			c.Issuer = issuer
		}
	}
	for _, user := range s.Demo {
		if user.Name == v.Session.Name {
			c.Demo = user
		}
	}
	area, _, _ := strings.Cut(strings.TrimPrefix(path, web.Root), "/")
	return &web.Answer{Title: ui.T(v.Context(), "Sign in again"), Area: area, Status: status, Body: confirmPage(c)}
}

// Again takes the access token of a user who signs in again, and makes the browser send the form to the
// path that needs the fresh sign-in.
func (s *Screens) Again(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	to, token := web.LocalPath(v.URL.Query().Get("to")), locale.Trim(form.Get(tokenField))
	form.Del(tokenField)
	_, err = checkProof(v, token, func() (authn.Proof, error) {
		proof, err := s.Sessions.ProveByToken(v.Context(), token)
		if err == nil {
			err = s.Sessions.Renew(v.Context(), v.Session, proof)
		}
		return proof, err
	})
	if domain.HasCode(err, domain.CodeRateLimited) {
		return s.showConfirmation(v, to, form, http.StatusTooManyRequests, tooMany(v.Context())), nil
	}
	if domain.HasCode(err, domain.CodeUnauthenticated) {
		return s.showConfirmation(v, to, form, http.StatusUnauthorized, ui.T(v.Context(), "Sign-in failed: this is not your token.")), nil
	}
	if err != nil {
		return nil, err
	}
	return &web.Answer{To: to, Repeat: true}, nil
}

// signedInAgain notes that an issuer has authenticated the user again. The form that needs it waits in
// another tab.
func (s *Screens) signedInAgain(v *web.Visit, err error) (*web.Answer, error) {
	answer := &web.Answer{Title: ui.T(v.Context(), "Sign in again"), Bare: true}
	denial, _ := errors.AsType[*domain.SignInError](err)
	switch {
	case denial != nil && denial.Reason == domain.SignInIssuerRefused:
		answer.Status, answer.Body = http.StatusUnauthorized, againPage(problemText(v.Context(), denial))
	case denial != nil:
		answer.Status = http.StatusUnauthorized
		answer.Body = againPage(ui.T(v.Context(), "You were not signed in again: the identity provider named another user, or did not ask you to sign in."))
	case err != nil:
		return nil, err
	default:
		answer.Body = againPage("")
	}
	answer.Cookies = []*http.Cookie{web.Cookie(v.Request, attemptCookie, "", 0)}
	return answer, nil
}

// signedIn reports whether the visitor has a session.
func signedIn(v *web.Visit) bool { return v.Session.ID != uuid.Nil }
