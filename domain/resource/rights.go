package resource

import (
	"reflect"
	"strconv"
	"strings"
)

// The tag "right" of a field of a spec marks whether the field decides about access. A test walks all specs, so
// that a new field needs the tag.
const (
	// tagRight marks a field that is a right as a whole.
	tagRight = "yes"
	// tagWithin marks a field with members that are rights. Entries of a list are identified by their code.
	tagWithin = "within"
)

// ChangedRight compares two specs of one kind and returns the JSON Pointer of the
// first right that differs, from the root of the wanted document. The order of
// grantees is no difference. A new entry of a list differs by each right that it
// brings, and a missing entry, for which the list is named, by each that it had.
func ChangedRight(stored, after Spec) (pointer string, changed bool) {
	return changedStruct(reflect.ValueOf(stored).Elem(), reflect.ValueOf(after).Elem(), "/spec")
}

// ChangesRights reports whether the change of a resource changes a right. The old document is nil for a new
// resource, the new one for a deleted resource.
func ChangesRights(before, after *Document) bool {
	spec := func(d, other *Document) reflect.Value {
		if d == nil {
			return reflect.Zero(reflect.TypeOf(other.Spec).Elem())
		}
		return reflect.ValueOf(d.Spec).Elem()
	}
	_, changed := changedStruct(spec(before, after), spec(after, before), "/spec")
	return changed
}

func changedStruct(stored, after reflect.Value, pointer string) (string, bool) {
	for i := range after.NumField() {
		field, place := after.Type().Field(i), pointer
		if !field.Anonymous {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			place += "/" + name
		}
		switch field.Tag.Get("right") {
		case tagRight:
			if !sameRight(stored.Field(i), after.Field(i)) {
				return place, true
			}
		case tagWithin:
			if found, changed := changedWithin(stored.Field(i), after.Field(i), place); changed {
				return found, true
			}
		}
	}
	return "", false
}

func changedWithin(stored, after reflect.Value, pointer string) (string, bool) {
	switch after.Kind() { //nolint:exhaustive // a test knows the kinds of what is marked
	case reflect.Pointer:
		return changedStruct(orZero(stored), orZero(after), pointer)
	case reflect.Slice:
		return changedEntries(stored, after, pointer)
	default:
		return changedStruct(stored, after, pointer)
	}
}

// orZero returns the target of a pointer, or the zero value.
func orZero(pointer reflect.Value) reflect.Value {
	if pointer.IsNil() {
		return reflect.Zero(pointer.Type().Elem())
	}
	return pointer.Elem()
}

func changedEntries(stored, after reflect.Value, pointer string) (string, bool) {
	none := reflect.Zero(after.Type().Elem())
	before := entriesByCode(stored)
	for i := range after.Len() {
		entry := after.Index(i)
		same, ok := before[codeOf(entry)]
		if !ok {
			same = none
		}
		delete(before, codeOf(entry))
		if found, changed := changedStruct(same, entry, pointer+"/"+strconv.Itoa(i)); changed {
			return found, true
		}
	}
	for _, removed := range before {
		if _, changed := changedStruct(removed, none, pointer); changed {
			return pointer, true
		}
	}
	return "", false
}

func entriesByCode(list reflect.Value) map[string]reflect.Value {
	entries := make(map[string]reflect.Value, list.Len())
	for i := range list.Len() {
		entries[codeOf(list.Index(i))] = list.Index(i)
	}
	return entries
}

func codeOf(entry reflect.Value) string { return entry.FieldByName("Code").String() }

// sameRight compares lists as sets.
func sameRight(stored, after reflect.Value) bool {
	if reflect.DeepEqual(stored.Interface(), after.Interface()) {
		return true
	}
	if after.Kind() != reflect.Slice || !after.Type().Elem().Comparable() {
		return false
	}
	return reflect.DeepEqual(toSet(stored), toSet(after))
}

func toSet(list reflect.Value) map[any]bool {
	members := make(map[any]bool, list.Len())
	for i := range list.Len() {
		members[list.Index(i).Interface()] = true
	}
	return members
}
