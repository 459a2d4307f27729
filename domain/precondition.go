package domain

import (
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// Version identifies a state of a resource. Every change of the resource changes it, also when two happen in the
// same microsecond.
type Version string

// Version returns the version of a resource with these audit fields: the time of the last change, which only
// grows.
func (a *Audit) Version() Version { return VersionAt(a.LastModifiedAt) }

// VersionAt returns the version of a resource that was last changed at the time.
func VersionAt(changed time.Time) Version {
	return Version(strconv.FormatInt(changed.UnixMicro(), 36))
}

// Versions are the versions that a precondition lists.
type Versions struct {
	// Any matches every version, as long as the resource exists.
	Any    bool
	Listed []Version
}

// Include reports whether the version is one of them.
func (v *Versions) Include(version Version) bool {
	return v.Any || slices.Contains(v.Listed, version)
}

// Precondition contains the requirements of a request on the resource that it changes. The zero Precondition is
// always met.
type Precondition struct {
	// Resource is the id of the resource; the zero id stands for the resource of the operation.
	Resource uuid.UUID
	// Match and NoneMatch are the values of If-Match and If-None-Match (RFC 9110, section 13.1), nil when the
	// request has none.
	Match, NoneMatch *Versions
}

// About reports whether the precondition is about the resource with the id.
func (p *Precondition) About(id uuid.UUID) bool {
	return p.Resource == uuid.Nil || p.Resource == id
}

// Check returns a PRECONDITION_FAILED error unless current, nil if there is no resource, meets the precondition.
func (p *Precondition) Check(current *Version) error {
	switch {
	case p.Match != nil && (current == nil || !p.Match.Include(*current)):
		return preconditionFailed("If-Match", current)
	case p.NoneMatch != nil && current != nil && p.NoneMatch.Include(*current):
		return preconditionFailed("If-None-Match", current)
	default:
		return nil
	}
}

func preconditionFailed(header string, current *Version) *Error {
	message := "there is no such resource yet"
	if current != nil {
		message = "the current version is " + string(*current)
	}
	return &Error{
		Kind: KindPrecondition, Code: CodePreconditionFailed, Message: "the resource has another version than the request requires",
		Details: []Detail{{Code: CodePreconditionFailed, Message: message, Location: header, LocationType: LocationHeader}},
		Current: current,
	}
}
