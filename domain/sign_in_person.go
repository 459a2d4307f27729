package domain

import "github.com/google/uuid"

// SignInPrincipalID returns the author of the changes that follow from sign-ins. It exists in every database.
func SignInPrincipalID() uuid.UUID {
	return uuid.UUID{0x01, 0x97, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 3}
}

// PersonSignIn is a person that an issuer has authenticated, and the claims about the person.
type PersonSignIn struct {
	Issuer  string
	Subject string
	// PrincipalID is the user of the subject, the zero id for none.
	PrincipalID uuid.UUID
	// Email is the address that the issuer verified, "" for none or an address that it must not use.
	Email string
	Name  string
	// Groups are the values of the claim with the groups of the person.
	Groups []string
	// TenantCodes are the tenants that the issuer is limited to, nil for all.
	TenantCodes []string
}

// SignInOutcome is the effect of a sign-in on the users of tenants.
type SignInOutcome struct {
	// Created reports whether the person became a user of a tenant.
	Created bool
	// Refusal is the reason why no tenant has created the person, "" if none creates people of the issuer. TenantCodes are the
	// tenants that do.
	Refusal     SignInReason
	TenantCodes []string
}
