// Package authn authenticates callers and issues credentials for the engine.
// Authenticator turns the Authorization header of a request into a domain.Caller.
// Issuer signs the credentials with which workers and the service itself
// authenticate to the engine: tokens, which are verified with the JWKS document,
// and certificates of the service's own authority. Keys keeps the signing keys in
// the database; their private halves are sealed by a Sealer whose key is not in
// the database.
//
// # Rotation of the authority
//
// Workers read their certificate and roots once per start, and Java workers only the
// first root. So a new authority has, in addition to its self-signed certificate, one
// that the previous authority issued for the same name and key. Every certificate is
// followed by these cross certificates back to the oldest trusted authority, and the
// list of roots begins with that one: a party that trusts any authority accepts the
// newest. Each authority is certified by its predecessor only, because OpenSSL follows
// the first issuer that it finds. Distrusting an authority distrusts the earlier ones,
// which certify it.
package authn
