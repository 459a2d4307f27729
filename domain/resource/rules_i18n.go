package resource

import (
	"encoding/json"
	"errors"

	"github.com/procession-dev/procession/domain/translation"
)

// A catalogueMember is a member i18n of a manifest with its pointer. The code of the item or action that has it is "" for
// the definition.
type catalogueMember struct {
	pointer, code string
	source        json.RawMessage
}

// catalogueMembers returns the members i18n of a spec, also the absent ones. The first one belongs to the definition.
func catalogueMembers(spec Spec) []catalogueMember {
	members := []catalogueMember{{pointer: "/spec/i18n"}}
	add := func(list string, i int, code string, source json.RawMessage) {
		members = append(members, catalogueMember{extendPointer("/spec/"+list, i, "i18n"), code, source})
	}
	switch s := spec.(type) {
	case *ProcessDefinitionSpec:
		members[0].source = s.I18n
		for i := range s.Items {
			add("items", i, s.Items[i].Code, s.Items[i].I18n)
		}
		for i := range s.UserActions {
			add("userActions", i, s.UserActions[i].Code, s.UserActions[i].I18n)
		}
	case *BusinessArtifactDefinitionSpec:
		members[0].source = s.I18n
		for i := range s.Actions {
			add("actions", i, s.Actions[i].Code, s.Actions[i].I18n)
		}
	case *DataStructureSpec:
		members[0].source = s.I18n
	}
	return members
}

// checkTranslations reports invalid members i18n.
func checkTranslations(members []catalogueMember, r *report) {
	size := 0
	for _, m := range members {
		size += len(m.source)
		_, err := translation.Parse(m.source)
		if wrong, ok := errors.AsType[*translation.Error](err); ok {
			place := m.pointer
			for _, name := range wrong.Path {
				place = extendPointer(place, name)
			}
			r.add(place, "%s", wrong.Message)
		}
	}
	if size > translation.MaxSize {
		r.add(members[0].pointer, "has %d bytes of translations with the ones of items and actions: at most %d are allowed", size, translation.MaxSize)
	}
}
