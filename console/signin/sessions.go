package signin

import (
	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// List shows in which browsers the user is signed in.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	found, err := s.Sessions.List(v.Context(), v.Call.PrincipalID)
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Sessions"), Body: sessionsPage(found, v.Session.ID)}, nil
}

// End ends one of the user's sessions.
func (s *Screens) End(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	if id == v.Session.ID {
		return s.SignOut(v)
	}
	if err := s.endSession(v, id, domain.SessionClosed); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + "sessions"), nil
}

// EndOthers ends all sessions of the user except the browser's.
func (s *Screens) EndOthers(v *web.Visit) (*web.Answer, error) {
	err := s.Sessions.End(v.Context(), v.Call, domain.SessionEnd{
		PrincipalID: v.Call.PrincipalID, Except: v.Session.ID, By: v.Call.PrincipalID, Reason: domain.SessionClosed,
		Address: chain.Address(v.Context()),
	})
	if err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + "sessions"), nil
}
