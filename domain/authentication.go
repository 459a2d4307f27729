package domain

import (
	"time"

	"github.com/google/uuid"
)

// AuthenticationType is the kind of credential that an authentication issues.
type AuthenticationType string

// The authentication types.
const (
	AuthenticationEngineToken       AuthenticationType = "ENGINE_TOKEN"
	AuthenticationEngineCertificate AuthenticationType = "ENGINE_CERTIFICATE"
)

// Authentication gives a principal access to the engine (specification section 2.19). It is returned once; only
// its EngineGrant is stored. Token or Certificate is set, according to Type.
type Authentication struct {
	ID          uuid.UUID
	Type        AuthenticationType
	TenantID    uuid.UUID
	Token       *EngineToken
	Certificate *EngineCertificate
	// ReadOnly is true of an operator's.
	ReadOnly bool
	Audit
}

// EngineToken is a bearer token of a principal for the engine. It is to be renewed by ExpiredAt, and accepted
// until NotAfter.
type EngineToken struct {
	Token     Secret
	ExpiredAt time.Time
	NotAfter  time.Time
}

// EngineCertificate contains the credentials with which a principal connects to the engine: the namespace it may use, and the PEM
// texts of the certificates and of the PKCS#8 private key. The root certificates are the trusted ones, the
// oldest first; they verify the engine's own certificate. The client certificate is followed by its
// intermediates.
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
