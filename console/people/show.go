package people

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/shell"
)

// personView contains a user, a group, an application or a robot with its rights and secrets.
type personView struct {
	*administration.Holder

	Secrets []domain.SecretInfo
	// ExpiryDate is the day on which a new secret expires by default, LatestDate the last possible one, both "" for never.
	ExpiryDate, LatestDate string
	// TermDays is the number of days until ExpiryDate.
	TermDays int
	Access   []domain.EngineGrant
	// Sessions are the browsers that a user is signed in with.
	Sessions []domain.Session
	// May reports whether the user may change it.
	May bool
	// Issued is the secret that was just issued, nil for none. It is shown this once.
	Issued *administration.IssuedSecret
	// Problem is the reason why the last action was refused, "" if none was.
	Problem string
}

// hasSecrets reports whether secrets are issued to the kind.
func (s *personView) hasSecrets() bool { return slices.Contains(resource.SecretOwners(), s.Kind) }

// hasCredentials reports whether it is a principal, which signs in and has access to the engine.
func (s *personView) hasCredentials() bool {
	return s.Kind == resource.KindUser || s.Kind == resource.KindApplication
}

// Show shows a resource with its rights and their origin, its secrets and its access to the engine.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	key, err := resources.KeyOf(v, resources.People())
	if err != nil {
		return nil, err
	}
	return s.showPerson(v, key, nil, nil)
}

// showPerson shows a resource with an issued secret, and with the error of a failed action. Both may be nil.
func (s *Screens) showPerson(v *web.Visit, key resource.Key, issued *administration.IssuedSecret, rejection *domain.Error) (*web.Answer, error) {
	holder, err := s.Administration.RetrieveHolder(v.Context(), v.Call, key)
	if err != nil {
		return nil, err
	}
	of := &personView{Holder: holder, Issued: issued}
	of.May = resources.MayChange(v.Call.Caller, &holder.Stored)
	if of.hasSecrets() {
		if of.Secrets, err = s.Administration.FindSecrets(v.Context(), v.Call, key); err != nil {
			return nil, err
		}
		of.setTerm(s.Administration.SecretTermOf(key.Kind), ui.ViewerOf(v.Context()).Now)
	}
	if of.Kind == resource.KindUser && of.May {
		if of.Sessions, err = s.Administration.FindUserSessions(v.Context(), v.Call, key); err != nil {
			return nil, err
		}
	}
	if of.hasCredentials() {
		access, err := s.Administration.FindEngineAccess(v.Context(), v.Call, administration.EngineAccessFilter{
			TenantIDs: []uuid.UUID{holder.TenantID}, PrincipalIDs: []uuid.UUID{holder.ID},
		}, domain.PageRequest{Size: resources.PageSize}, nil)
		if err != nil {
			return nil, err
		}
		of.Access = access.Items
	}
	answer := &web.Answer{Title: resource.NameOf(holder.Spec), Area: area, Body: showPage(of)}
	if rejection != nil {
		of.Problem = ui.Problem(v.Context(), rejection)
	}
	return answer.Refused(rejection), nil
}

// setTerm sets the default and the latest expiry of a new secret.
func (s *personView) setTerm(term administration.SecretTerm, now time.Time) {
	if term.Standard > 0 {
		s.ExpiryDate, s.TermDays = now.Add(term.Standard).Format(time.DateOnly), int(term.Standard/(24*time.Hour))
	}
	if term.Longest > 0 {
		s.LatestDate = now.Add(term.Longest).Format(time.DateOnly)
	}
}

// showResult shows the resource again after an action, with why it was refused if it was.
func (s *Screens) showResult(v *web.Visit, key resource.Key, err error) (*web.Answer, error) {
	if err == nil {
		return web.SeeOther(pathOf(key)), nil
	}
	if rejection := web.Refusal(err); rejection != nil {
		return s.showPerson(v, key, nil, rejection)
	}
	return nil, err
}

// shellCommands returns the commands that correspond to the page and to its forms.
func (s *personView) shellCommands() []shell.Line {
	of := func(words ...string) shell.Line {
		return shell.Command(append(append([]string{"procession"}, words...), "--tenant", s.TenantCode())...)
	}
	kind, code := ui.KindCommand(s.Kind), s.Metadata.Code
	commands := []shell.Line{of("describe", kind, code)}
	if s.May {
		commands = append(commands, of("edit", kind, code))
	}
	if s.hasSecrets() && s.May {
		commands = append(commands, of("secrets", "issue", kind, code, "--name", "NAME"), of("secrets", "revoke", kind, code, "NAME"))
	}
	if s.Kind == resource.KindUser && s.May {
		commands = append(commands, of("sessions", "list", code), of("sessions", "end", code, "--all"))
	}
	if s.hasCredentials() {
		commands = append(commands, of("access", "list", "--principal", code), "procession access revoke ID")
	}
	if s.Robot != nil {
		commands = append(commands, of("robots", "upload-source", code, "FILE"), of("robots", "set-env", code, "NAME"),
			of("robots", "unset-env", code, "NAME"))
	}
	return commands
}
