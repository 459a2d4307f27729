package kuflowref

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Principal refers to a person, a program or the service itself.
type Principal struct {
	ID   uuid.UUID
	Type domain.PrincipalType
	Name string

	other []part
}

// ParsePrincipal parses a reference to a principal. All parts are required.
func ParsePrincipal(text string) (Principal, bool) {
	p, ok := readParts(text, KindPrincipal, "id", "type", "name")
	id, isID := p.idPart("id")
	if !ok || !isID || !p.has("type", "name") {
		return Principal{}, false
	}
	found := Principal{ID: id, Type: domain.PrincipalType(p.values["type"]), Name: p.values["name"], other: p.other}
	switch found.Type {
	case domain.PrincipalUser, domain.PrincipalApplication, domain.PrincipalSystem:
		return found, true
	}
	return Principal{}, false
}

// Kind returns KindPrincipal.
func (Principal) Kind() Kind { return KindPrincipal }

// String returns the text of the reference.
func (p Principal) String() string {
	return newWriter(KindPrincipal).add("id", p.ID.String()).add("type", string(p.Type)).add("name", p.Name).finishText(p.other)
}

// Group refers to a group of principals. Type has no meaning in this service and is preserved.
type Group struct {
	ID   uuid.UUID
	Type string
	Name string

	other []part
}

// ParseGroup parses a reference to a group. Only the id is required.
func ParseGroup(text string) (Group, bool) {
	p, ok := readParts(text, KindGroup, "id", "type", "name")
	id, isID := p.idPart("id")
	if !ok || !isID {
		return Group{}, false
	}
	return Group{ID: id, Type: p.values["type"], Name: p.values["name"], other: p.other}, true
}

// Kind returns KindGroup.
func (Group) Kind() Kind { return KindGroup }

// String returns the text of the reference with all its parts: some readers need them.
func (g Group) String() string {
	return newWriter(KindGroup).add("id", g.ID.String()).add("type", g.Type).add("name", g.Name).finishText(g.other)
}
