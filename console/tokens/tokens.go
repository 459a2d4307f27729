// Package tokens shows users the personal access tokens that act as them.
package tokens

import (
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
)

// path is the path of the list.
const path = "tokens"

// Screens are the list of the user's tokens and its forms.
type Screens struct {
	Administration *administration.Service
}

// List shows the tokens that act as the user.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	found, err := s.Administration.FindOwnTokens(v.Context(), v.Call)
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Your tokens"), Area: path, Body: page(found)}, nil
}

// Revoke ends one of the user's tokens.
func (s *Screens) Revoke(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	if err := s.Administration.RevokeOwnToken(v.Context(), v.Call, id); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + path), nil
}

// Confirm records that the user knows of the tokens that others issued.
func (s *Screens) Confirm(v *web.Visit) (*web.Answer, error) {
	if err := s.Administration.ConfirmOwnTokens(v.Context(), v.Call); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + path), nil
}
