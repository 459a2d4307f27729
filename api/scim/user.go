package scim

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// attributesOfUser returns the writable attributes of a user.
func attributesOfUser(u administration.DirectoryUser) object {
	o := object{"userName": u.UserName, "active": u.Active}
	put := func(into object, name, value string) {
		if value != "" {
			into[name] = value
		}
	}
	put(o, "externalId", u.ExternalID)
	put(o, "displayName", u.DisplayName)
	name := object{}
	put(name, "formatted", u.Formatted)
	put(name, "givenName", u.GivenName)
	put(name, "familyName", u.FamilyName)
	if len(name) > 0 {
		o["name"] = name
	}
	if u.Email != "" {
		o["emails"] = []any{object{"value": u.Email, "type": "work", "primary": true}}
	}
	return o
}

// userOf returns the user with attributes. Without active it is active.
func userOf(o object) (administration.DirectoryUser, error) {
	text := func(from object, name string) string {
		s, _ := from[name].(string)
		return s
	}
	name, _ := o["name"].(object)
	u := administration.DirectoryUser{ExternalID: text(o, "externalId"), DirectoryEntry: resource.DirectoryEntry{
		UserName: text(o, "userName"), DisplayName: text(o, "displayName"), Active: true,
		Formatted: text(name, "formatted"), GivenName: text(name, "givenName"), FamilyName: text(name, "familyName"),
	}}
	if active, ok := o["active"].(bool); ok {
		u.Active = active
	}
	if u.UserName == "" {
		return u, refuseAs(errInvalidValue, "userName is required")
	}
	emails, _ := o["emails"].([]any)
	for _, v := range emails {
		email, _ := v.(object)
		value := text(email, "value")
		if primary, _ := email["primary"].(bool); primary || u.Email == "" {
			u.Email = value
		}
	}
	for field, value := range map[string]string{
		"userName": u.UserName, "externalId": u.ExternalID, "displayName": u.DisplayName, "name.formatted": u.Formatted,
		"name.givenName": u.GivenName, "name.familyName": u.FamilyName,
	} {
		if err := checkText(field, value); err != nil {
			return u, err
		}
	}
	return u, nil
}

// changeUser returns the change of a user to other attributes.
func changeUser(attributes func(object) (object, error)) func(*administration.DirectoryUser) error {
	return func(u *administration.DirectoryUser) error {
		next, err := attributes(attributesOfUser(*u))
		if err != nil {
			return err
		}
		changed, err := userOf(next)
		if err != nil {
			return err
		}
		if changed.Email == "" {
			changed.Email = u.Email
		}
		if !domain.EqualEmails(changed.Email, u.Email) {
			return refuseAs(errMutability, "emails cannot be changed, the address says who the user is")
		}
		changed.Email, *u = u.Email, changed
		return nil
	}
}

// attributesOfGroup returns the writable attributes of a group.
func attributesOfGroup(g administration.DirectoryGroup) object {
	o := object{"displayName": g.DisplayName}
	if g.ExternalID != "" {
		o["externalId"] = g.ExternalID
	}
	members := make([]any, len(g.Members))
	for i, id := range g.Members {
		members[i] = object{"value": id.String(), "type": "User"}
	}
	setValues(o, "members", members)
	return o
}

// groupOf returns the group with attributes.
func groupOf(o object) (administration.DirectoryGroup, error) {
	name, _ := o["displayName"].(string)
	external, _ := o["externalId"].(string)
	g := administration.DirectoryGroup{DisplayName: name, ExternalID: external}
	if name == "" {
		return g, refuseAs(errInvalidValue, "displayName is required")
	}
	for field, value := range map[string]string{"displayName": name, "externalId": external} {
		if err := checkText(field, value); err != nil {
			return g, err
		}
	}
	members, _ := o["members"].([]any)
	for _, v := range members {
		member, _ := v.(object)
		value, _ := member["value"].(string)
		id, err := uuid.Parse(value)
		if err != nil {
			return g, refuseAs(errInvalidValue, "members must have ids of users as their values")
		}
		g.Members = append(g.Members, id)
	}
	return g, nil
}

// changeGroup returns the change of a group to other attributes.
func changeGroup(attributes func(object) (object, error)) func(*administration.DirectoryGroup) error {
	return func(g *administration.DirectoryGroup) error {
		next, err := attributes(attributesOfGroup(*g))
		if err != nil {
			return err
		}
		changed, err := groupOf(next)
		if err == nil {
			*g = changed
		}
		return err
	}
}
