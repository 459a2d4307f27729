package domain

import (
	"fmt"

	"github.com/google/uuid"
)

// SignInReason is the reason why a sign-in was refused. It is never shown to callers, only in logs, metrics and
// events for administrators.
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
	// SignInNotYetValid: the validity of the token has not begun, for example because of clock skew.
	SignInNotYetValid SignInReason = "NOT_YET_VALID"
	// SignInDisabled is a credential of a disabled user or application.
	SignInDisabled SignInReason = "DISABLED"
	// SignInUnknownIssuer is a token of an issuer that is not configured.
	SignInUnknownIssuer SignInReason = "UNKNOWN_ISSUER"
	// SignInBadSignature is a token without an acceptable signature by a key of its issuer.
	SignInBadSignature SignInReason = "BAD_SIGNATURE"
	// SignInWrongAudience is a token for another service.
	SignInWrongAudience SignInReason = "WRONG_AUDIENCE"
	// SignInUnverifiedEmail: the subject has no link, and the issuer asserts no verified address.
	SignInUnverifiedEmail SignInReason = "UNVERIFIED_EMAIL"
	// SignInUnknownUser is a token of a subject for which there is no user to link.
	SignInUnknownUser SignInReason = "UNKNOWN_USER"
	// SignInIssuerScope is a token for a user outside the tenants or domains of its issuer.
	SignInIssuerScope SignInReason = "ISSUER_SCOPE"
	// SignInWrongTokenType is an ID token in place of an access token, or the reverse.
	SignInWrongTokenType SignInReason = "WRONG_TOKEN_TYPE"
	// SignInForeignResponse is an authorization response to another sign-in, or of another issuer.
	SignInForeignResponse SignInReason = "FOREIGN_RESPONSE"
	// SignInIssuerRefused is an authorization response with an error.
	SignInIssuerRefused SignInReason = "ISSUER_REFUSED"
	// SignInNotEligible is a person who is no user yet and does not meet the conditions of a tenant that creates users at
	// their first sign-in.
	SignInNotEligible SignInReason = "NOT_ELIGIBLE"
	// SignInDeleted is a person whom the tenants that create users have deleted.
	SignInDeleted SignInReason = "DELETED"
)

// SignInReasons lists all reasons.
func SignInReasons() []SignInReason {
	return []SignInReason{
		SignInMissing, SignInMalformed, SignInUnknownCredential, SignInExpired, SignInNotYetValid, SignInDisabled,
		SignInUnknownIssuer, SignInBadSignature, SignInWrongAudience, SignInUnverifiedEmail, SignInUnknownUser,
		SignInIssuerScope, SignInWrongTokenType, SignInForeignResponse, SignInIssuerRefused, SignInNotEligible, SignInDeleted,
	}
}

// SignInError describes a refused sign-in. It is the cause of an UNAUTHENTICATED error, and never part of a
// response.
type SignInError struct {
	Reason SignInReason
	// Issuer is the issuer named in a token. Trusted reports whether it is configured and signed the token.
	Issuer  string
	Trusted bool
	// Subject is a hash of the issuer and the subject of a verified token.
	Subject string
	// PrincipalID is the principal that the credential belongs to or names.
	PrincipalID uuid.UUID
	// TenantID is the tenant to which the credential is limited, if it is.
	TenantID uuid.UUID
	// TenantCodes are the tenants to which the issuer is limited, if it is.
	TenantCodes []string
}

// Error implements error.
func (r *SignInError) Error() string { return fmt.Sprintf("sign-in refused: %s", r.Reason) }

// RefuseSignIn returns Unauthenticated with r as its cause.
func RefuseSignIn(r SignInError) *Error {
	failure := Unauthenticated()
	failure.Cause = &r
	return failure
}
