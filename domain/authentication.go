package domain

import (
	"time"

	"github.com/google/uuid"
)

// AuthenticationType says what an authentication gives its principal.
type AuthenticationType string

// The authentication types.
const (
	AuthenticationEngineToken       AuthenticationType = "ENGINE_TOKEN"
	AuthenticationEngineCertificate AuthenticationType = "ENGINE_CERTIFICATE"
)

// Authentication gives a principal access to the engine (specification section
// 2.19). It is handed out once and not kept but for an EngineGrant. Token or
// Certificate is set, according to Type.
type Authentication struct {
	ID          uuid.UUID
	Type        AuthenticationType
	TenantID    uuid.UUID
	Token       *EngineToken
	Certificate *EngineCertificate
	Audit
}

// EngineToken is the bearer token of a principal for the engine. It is to be
// renewed by ExpiredAt, and accepted until NotAfter.
type EngineToken struct {
	Token     Secret
	ExpiredAt time.Time
	NotAfter  time.Time
}

// EngineCertificate is what a principal connects to the engine with: the
// namespace it may use, and the PEM texts of the certificates and of the PKCS#8
// private key. The root certificates are those that are trusted, the oldest
// first: the engine's own certificate leads back to it. The client certificate is
// followed by those that lead back to it in turn.
type EngineCertificate struct {
	Namespace               string
	ServerRootCACertificate string
	ClientCertificate       string
	ClientPrivateKey        Secret
	// Serial is the serial number of the client certificate in lower-case
	// hexadecimal, NotAfter when it expires.
	Serial   string
	NotAfter time.Time
}
