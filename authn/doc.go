// Package authn authenticates callers and issues credentials for the engine.
// Authenticator turns the Authorization header of a request into a domain.Caller.
// Issuer signs the credentials with which workers and the service itself
// authenticate to the engine: tokens, which are verified with the JWKS document,
// and certificates of the service's own authority. Keys keeps the signing keys in
// the database; their private halves are sealed by a Sealer whose key is not in
// the database.
package authn
