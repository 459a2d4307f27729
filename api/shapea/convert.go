package shapea

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// jsonForms shows a value as it is stored, text and all.
func jsonForms(v *domain.JSONValue) *oasa.JSONFormsValue {
	if v == nil {
		return nil
	}
	return &oasa.JSONFormsValue{Valid: &v.Valid, Data: v.Value}
}

// convertData returns the object that a client sent, nil when it sent none. The validity
// that the client sends is ignored.
func convertData(v *oasa.JSONFormsValue) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.Data
}

// principalKey names the principal that a client describes by any of its ids or
// by e-mail. at is the pointer of the description.
func principalKey(p *oasa.Principal, at string) (key app.PrincipalKey, err error) {
	if p == nil {
		return key, nil
	}
	user, application := httpio.Deref(p.User), httpio.Deref(p.Application)
	pointer := ""
	for _, id := range []struct {
		value           *uuid.UUID
		member, pointer string
	}{
		{p.ID, domain.MemberID, at + "/id"},
		{user.ID, domain.MemberUserID, at + "/user/id"},
		{application.ID, domain.MemberApplicationID, at + "/application/id"},
	} {
		switch {
		case id.value == nil:
		case key.ID == nil:
			key.ID, key.IDMember, pointer = id.value, id.member, id.pointer
		case *key.ID != *id.value:
			return key, domain.InvalidBody(id.pointer, "names another principal than "+pointer)
		}
	}
	key.Email = httpio.Deref(user.Email)
	isUser, isApplication := user.ID != nil || key.Email != "", application.ID != nil
	switch {
	case isUser && isApplication:
		return key, domain.InvalidBody(at+"/application", "names another principal than "+at+"/user")
	case isUser:
		key.Type = domain.PrincipalUser
	case isApplication:
		key.Type = domain.PrincipalApplication
	}
	return key, nil
}

// principalRef shows a principal of a tenant by its id and its known names.
func principalRef(tenant, id uuid.UUID, names *domain.Names) *oasa.Principal {
	principal, ok := names.Principals[domain.PrincipalInTenant{TenantID: tenant, ID: id}]
	if !ok {
		return &oasa.Principal{ID: &id}
	}
	return new(convertPrincipal(&principal))
}
