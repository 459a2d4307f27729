// Package kuflowref reads and writes the strings by which JSON values refer to
// documents, principals, groups, processes, business artifacts and items of data
// sources, such as
//
//	kuflow-file:uri=ku:process/…/document/…;type=application/pdf;size=500;name=a.pdf;
//
// Reading is liberal: the prefix may be in any case, the parts in any order and
// incompletely escaped, and unknown parts are preserved. Writing is strict: only
// ASCII that needs no escapes in JSON, in a header or in the string itself, so
// that every known reader reads the same values back.
//
// The descriptive parts of a reference (a name, a media type, a size) are claims
// of its author, are not verified and may hold any character.
package kuflowref

import "strings"

// Kind is the kind of target of a reference. It is also the prefix of the string, without the colon.
type Kind string

// The kinds of reference.
const (
	KindFile             Kind = "kuflow-file"
	KindPrincipal        Kind = "kuflow-principal"
	KindGroup            Kind = "kuflow-group"
	KindBusinessArtifact Kind = "kuflow-business-artifact"
	KindDataSource       Kind = "kuflow-data-source"
	KindProcess          Kind = "kuflow-process"
)

// Reference is one of File, Principal, Group, BusinessArtifact, DataSource and
// Process.
type Reference interface {
	// Kind returns the kind of the reference.
	Kind() Kind
	// String returns the text of the reference, which Parse accepts.
	String() string
}

var (
	_ Reference = File{}
	_ Reference = Principal{}
	_ Reference = Group{}
	_ Reference = BusinessArtifact{}
	_ Reference = DataSource{}
	_ Reference = Process{}
)

// Parse parses a reference of any kind. It returns false for every other text, also for one that begins like a
// reference but lacks a part.
func Parse(text string) (Reference, bool) {
	kind, ok := KindOf(text)
	if !ok {
		return nil, false
	}
	switch kind {
	case KindFile:
		return orNil(ParseFile(text))
	case KindPrincipal:
		return orNil(ParsePrincipal(text))
	case KindGroup:
		return orNil(ParseGroup(text))
	case KindBusinessArtifact:
		return orNil(ParseBusinessArtifact(text))
	case KindDataSource:
		return orNil(ParseDataSource(text))
	case KindProcess:
		return orNil(ParseProcess(text))
	}
	return nil, false
}

// KindOf returns the kind of a text by its prefix alone: the rest may still be malformed.
func KindOf(text string) (Kind, bool) {
	prefix, _, colon := strings.Cut(text, ":")
	if !colon {
		return "", false
	}
	for _, kind := range []Kind{
		KindFile, KindPrincipal, KindGroup, KindBusinessArtifact, KindDataSource, KindProcess,
	} {
		if equalFold(prefix, string(kind)) {
			return kind, true
		}
	}
	return "", false
}

// equalFold compares without regard to the case of ASCII letters.
func equalFold(a, b string) bool {
	// Some letters beyond ASCII fold to ASCII letters; they are longer.
	return len(a) == len(b) && strings.EqualFold(a, b)
}

// orNil returns nil rather than a zero value for a reference that was not parsed.
func orNil[R Reference](r R, ok bool) (Reference, bool) {
	if !ok {
		return nil, false
	}
	return r, true
}
