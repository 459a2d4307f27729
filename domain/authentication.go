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
// 2.19). It is handed out once and not kept. Token or Certificate is set,
// according to Type.
type Authentication struct {
	ID          uuid.UUID
	Type        AuthenticationType
	TenantID    uuid.UUID
	Token       *EngineToken
	Certificate *EngineCertificate
	Audit
}

// EngineToken is the bearer token of a principal for the engine. It is to be
// renewed by ExpiredAt.
type EngineToken struct {
	Token     Secret
	ExpiredAt time.Time
}

// EngineCertificate is what a principal connects to the engine with: the
// namespace it may use, and the PEM texts of the certificates and of the PKCS#8
// private key. The first root certificate is the one the engine's own
// certificate was issued by.
type EngineCertificate struct {
	Namespace               string
	ServerRootCACertificate string
	ClientCertificate       string
	ClientPrivateKey        Secret
}
