// Package authn is who is calling, and what the service issues. Authenticator
// turns the Authorization header of a request into a domain.Caller. Issuer signs
// what workers and the service itself show to the engine: tokens, which others
// verify by the JWKS document, and certificates of the service's own authority.
// Keys keeps the signing keys in the database, with the private halves sealed by
// a Sealer whose key is not there.
package authn
