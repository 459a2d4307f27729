package domain

import (
	"fmt"

	"github.com/google/uuid"
)

// SignInReason says why a sign-in was refused. Callers never learn it: logs,
// metrics and events for administrators do.
type SignInReason string

// The reasons. The list is closed.
const (
	// SignInMissing is a request without credentials.
	SignInMissing SignInReason = "MISSING"
	// SignInMalformed are credentials that cannot be read.
	SignInMalformed SignInReason = "MALFORMED"
	// SignInUnknownCredential is a secret or a token that is not there, or not any
	// longer: revoked ones are deleted.
	SignInUnknownCredential SignInReason = "UNKNOWN_CREDENTIAL" //nolint:gosec // a reason, not a credential
	// SignInExpired is a credential past its time.
	SignInExpired SignInReason = "EXPIRED"
	// SignInNotYetValid is a token from the future, as by a clock that is wrong.
	SignInNotYetValid SignInReason = "NOT_YET_VALID"
	// SignInDisabled is a credential of a disabled user or application.
	SignInDisabled SignInReason = "DISABLED"
	// SignInUnknownIssuer is a token of an issuer that is not configured.
	SignInUnknownIssuer SignInReason = "UNKNOWN_ISSUER"
	// SignInBadSignature is a token that no key of its issuer signed in a way that
	// is accepted.
	SignInBadSignature SignInReason = "BAD_SIGNATURE"
	// SignInWrongAudience is a token for another service.
	SignInWrongAudience SignInReason = "WRONG_AUDIENCE"
	// SignInUnverifiedEmail is a token of a subject without a link, whose issuer
	// names no verified address.
	SignInUnverifiedEmail SignInReason = "UNVERIFIED_EMAIL"
	// SignInUnknownUser is a token of a subject that no user can be linked to.
	SignInUnknownUser SignInReason = "UNKNOWN_USER"
	// SignInIssuerScope is a token about a user that its issuer is not for.
	SignInIssuerScope SignInReason = "ISSUER_SCOPE"
)

// SignInReasons lists all reasons.
func SignInReasons() []SignInReason {
	return []SignInReason{
		SignInMissing, SignInMalformed, SignInUnknownCredential, SignInExpired, SignInNotYetValid, SignInDisabled,
		SignInUnknownIssuer, SignInBadSignature, SignInWrongAudience, SignInUnverifiedEmail, SignInUnknownUser,
		SignInIssuerScope,
	}
}

// SignInError is what is known of a sign-in that was refused. It is the cause
// of an UNAUTHENTICATED error, and no part of an answer.
type SignInError struct {
	Reason SignInReason
	// Issuer is that of a token, as the token says. Trusted reports that it is
	// configured and signed the token.
	Issuer  string
	Trusted bool
	// Subject is a hash of the issuer and the subject of a token that was verified.
	Subject string
	// PrincipalID is the principal that the credential belongs to or names.
	PrincipalID uuid.UUID
	// TenantID is the tenant that the credential is good for, where it is limited to
	// one.
	TenantID uuid.UUID
	// TenantCodes are the tenants that the issuer is for, where it is limited.
	TenantCodes []string
}

// Error implements error.
func (r *SignInError) Error() string { return fmt.Sprintf("sign-in refused: %s", r.Reason) }

// RefuseSignIn is Unauthenticated with its cause.
func RefuseSignIn(r SignInError) *Error {
	failure := Unauthenticated()
	failure.Cause = &r
	return failure
}
