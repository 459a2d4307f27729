package domain

import (
	"time"

	"github.com/google/uuid"
)

// DirectoryPrincipalID returns the author of the changes of directories. It exists in every database.
func DirectoryPrincipalID() uuid.UUID {
	return uuid.UUID{0x01, 0x97, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 2}
}

// MaxDirectoryTokens is the number of tokens of directories that may be active in a tenant at a time.
const MaxDirectoryTokens = 5

// DirectoryToken is a credential of a directory that provisions the users and groups of a tenant.
type DirectoryToken struct {
	SecretInfo

	TenantID     uuid.UUID
	SecretSHA256 [32]byte
	IssuedBy     uuid.UUID
	// LastUsedAt is known to the hour, nil before the first use.
	LastUsedAt *time.Time
}

// DirectoryTenant is the tenant that a directory provisions.
type DirectoryTenant struct {
	ID        uuid.UUID
	Code      string
	Namespace string
}

// Caller returns a directory as the caller of operations on users and groups. It may change all of them.
func (t DirectoryTenant) Caller() Caller { return t.callerOf(DirectoryPrincipalID()) }

// SignInCaller returns the caller of the changes that follow from sign-ins.
func (t DirectoryTenant) SignInCaller() Caller { return t.callerOf(SignInPrincipalID()) }

func (t DirectoryTenant) callerOf(author uuid.UUID) Caller {
	return Caller{
		PrincipalID: author, Type: PrincipalSystem,
		Memberships: []Membership{{TenantID: t.ID, Namespace: t.Namespace, Role: RoleOwner}},
	}
}

// DirectoryOperator is an operator of a DirectoryFilter (RFC 7644, section 3.4.2.2).
type DirectoryOperator string

// The operators. The first three combine filters.
const (
	DirectoryAnd            DirectoryOperator = "and"
	DirectoryOr             DirectoryOperator = "or"
	DirectoryNot            DirectoryOperator = "not"
	DirectoryEqual          DirectoryOperator = "eq"
	DirectoryNotEqual       DirectoryOperator = "ne"
	DirectoryContains       DirectoryOperator = "co"
	DirectoryStartsWith     DirectoryOperator = "sw"
	DirectoryEndsWith       DirectoryOperator = "ew"
	DirectoryPresent        DirectoryOperator = "pr"
	DirectoryGreater        DirectoryOperator = "gt"
	DirectoryGreaterOrEqual DirectoryOperator = "ge"
	DirectoryLess           DirectoryOperator = "lt"
	DirectoryLessOrEqual    DirectoryOperator = "le"
)

// DirectoryFilter is a condition on users or groups. Value is a string, a bool or a time.Time.
type DirectoryFilter struct {
	Operator  DirectoryOperator
	Attribute DirectoryAttribute
	Value     any
	Operands  []DirectoryFilter
}

// DirectoryAttribute is an attribute that lists can be filtered by.
type DirectoryAttribute string

// The attributes. DirectoryMember is an attribute of groups, the id of a member.
const (
	DirectoryID           DirectoryAttribute = "id"
	DirectoryExternalID   DirectoryAttribute = "externalId"
	DirectoryUserName     DirectoryAttribute = "userName"
	DirectoryDisplayName  DirectoryAttribute = "displayName"
	DirectoryFormatted    DirectoryAttribute = "name.formatted"
	DirectoryGivenName    DirectoryAttribute = "name.givenName"
	DirectoryFamilyName   DirectoryAttribute = "name.familyName"
	DirectoryEmail        DirectoryAttribute = "emails.value"
	DirectoryActive       DirectoryAttribute = "active"
	DirectoryMember       DirectoryAttribute = "members.value"
	DirectoryCreated      DirectoryAttribute = "meta.created"
	DirectoryLastModified DirectoryAttribute = "meta.lastModified"
)
