package authn

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// givenRenewal is the time after which workers fetch a given token again, so that they notice its replacement.
	givenRenewal = 10 * time.Minute
	// maxCredentialFile bounds the size of a file of credentials.
	maxCredentialFile = 64 << 10
)

// Cluster describes the credentials of workers in a Temporal of another owner. The zero value is a Temporal that
// trusts the service's authority.
type Cluster struct {
	// Plaintext is true of a Temporal without TLS: certificates contain the namespace only.
	Plaintext bool
	// Withhold issues no credentials: workers get theirs from elsewhere.
	Withhold bool
	// AuthorityFile contains the authorities of Temporal's certificate in PEM. It may be empty for the service's.
	AuthorityFile string
	// APIKeyFile is the file of the token of a worker. It may be empty for tokens of the service. In the three file names,
	// {namespace} and {application} stand for the worker's namespace and the id of its principal.
	APIKeyFile string
	// CloudKeys is true if tokens are API keys of Temporal Cloud, which the service creates for each worker.
	CloudKeys bool
	// CertificateFile and KeyFile contain the certificate of a worker and its private key in PEM. They may be empty for
	// certificates of the service.
	CertificateFile string
	KeyFile         string
}

// WithClusters returns an Issuer of the same keys that issues credentials of workers for the default cluster. In selects an
// additional one. Files are read when credentials are requested.
func (i *Issuer) WithClusters(byDefault Cluster, additional map[string]Cluster) *Issuer {
	issuer := *i
	issuer.cluster, issuer.clusters = byDefault, additional
	return &issuer
}

// In returns the Issuer for the cluster with the name, "" for the default one. For a cluster that is not configured it issues no
// credentials.
func (i *Issuer) In(name string) *Issuer {
	if name == "" {
		return i
	}
	issuer := *i
	var ok bool
	if issuer.cluster, ok = i.clusters[name]; !ok {
		issuer.cluster = Cluster{Withhold: true}
	}
	return &issuer
}

// checkIssued returns a CONFLICT if the cluster's workers get no credentials from the service.
func (c *Cluster) checkIssued() error {
	if c.Withhold {
		return domain.Conflict(domain.CodeConflict, "the service issues no credentials for Temporal: the owner of the cluster gives them to workers")
	}
	return nil
}

// authorities returns the authorities of Temporal's certificate.
func (i *Issuer) authorities() (string, error) {
	if i.cluster.AuthorityFile == "" {
		return i.RootsPEM(), nil
	}
	content, err := readCredential(i.cluster.AuthorityFile)
	if err != nil {
		return "", fmt.Errorf("reading the authorities of Temporal's certificate: %w", err)
	}
	return string(content), nil
}

// givenToken reads the token of a worker. Workers renew it after ten minutes, or earlier if it expires.
func (c *Cluster) givenToken(access EngineAccess, now time.Time) (domain.EngineToken, error) {
	content, err := c.readGiven(c.APIKeyFile, access.Namespace, access.Principal)
	if err != nil {
		return domain.EngineToken{}, err
	}
	key, err := ParseAPIKey(content)
	if err != nil {
		return domain.EngineToken{}, fmt.Errorf("reading the API key of a worker: %w", err)
	}
	expiry := now.Add(givenRenewal)
	// An API key of Temporal Cloud is a JWT. Its signature is for Temporal to verify.
	if token, err := jwt.ParseSigned(key, signatureAlgorithms()); err == nil {
		var claims jwt.Claims
		if token.UnsafeClaimsWithoutVerification(&claims) == nil && claims.Expiry != nil && claims.Expiry.Time().Before(expiry) {
			expiry = claims.Expiry.Time()
		}
	}
	return domain.EngineToken{Token: domain.NewSecret(key), ExpiredAt: expiry, NotAfter: expiry}, nil
}

// cloudToken opens the API key of a worker. Workers renew it like the service's tokens. Its grant lasts as long as the key, so that it can
// be revoked.
func (i *Issuer) cloudToken(key persistence.SealedCloudKey, now time.Time) (domain.EngineToken, error) {
	if key.ID == "" {
		return domain.EngineToken{}, domain.Unavailable("the application's API key is being created in Temporal Cloud", nil)
	}
	opened, err := i.keys.sealer.Open(persistence.CloudKeyPurpose, key.ID, key.Sealed)
	if err != nil {
		return domain.EngineToken{}, fmt.Errorf("opening the API key of a worker: %w", err)
	}
	expiry := now.Add(engineTokenLifetime)
	if key.ExpiresAt.Before(expiry) {
		expiry = key.ExpiresAt
	}
	return domain.EngineToken{Token: domain.NewSecret(string(opened)), ExpiredAt: expiry, NotAfter: key.ExpiresAt}, nil
}

// signatureAlgorithms returns the algorithms of API keys with an expiry that is read.
func signatureAlgorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.EdDSA, jose.ES256, jose.ES384, jose.ES512, jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.HS256,
	}
}

// ParseAPIKey returns the API key of a file, without white space around it.
func ParseAPIKey(content []byte) (string, error) {
	key := string(bytes.TrimSpace(content))
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("must contain an API key and no other text")
	}
	return key, nil
}

// givenCertificate reads the certificate of a worker.
func (i *Issuer) givenCertificate(principal uuid.UUID, namespace string) (domain.EngineCertificate, error) {
	c := &i.cluster
	authorities, err := i.authorities()
	if err != nil {
		return domain.EngineCertificate{}, err
	}
	certificate, err := c.readGiven(c.CertificateFile, namespace, principal)
	if err != nil {
		return domain.EngineCertificate{}, err
	}
	key, err := c.readGiven(c.KeyFile, namespace, principal)
	if err != nil {
		return domain.EngineCertificate{}, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return domain.EngineCertificate{}, fmt.Errorf("reading the certificate of a worker in %s: %w", namespace, err)
	}
	private, err := encodePrivateKey(pair.PrivateKey)
	if err != nil {
		return domain.EngineCertificate{}, err
	}
	return domain.EngineCertificate{
		Namespace: namespace, ServerRootCACertificate: authorities,
		ClientCertificate: certificatesOnly(certificate), ClientPrivateKey: private, NotAfter: pair.Leaf.NotAfter.UTC(),
	}, nil
}

// readGiven reads the file of a worker. Without it the worker gets a CONFLICT that names no file.
func (c *Cluster) readGiven(pattern, namespace string, principal uuid.UUID) ([]byte, error) {
	file := strings.NewReplacer("{namespace}", namespace, "{application}", principal.String()).Replace(pattern)
	content, err := readCredential(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, domain.Conflict(domain.CodeConflict,
			"the owner of the Temporal cluster has given this application no credentials for the namespace "+namespace)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the credentials of a worker: %w", err)
	}
	return content, nil
}

func readCredential(file string) ([]byte, error) {
	f, err := os.Open(file) //nolint:gosec // the operator names it
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxCredentialFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) == 0 || len(content) > maxCredentialFile {
		return nil, fmt.Errorf("%s must have between 1 and %d bytes", file, maxCredentialFile)
	}
	return content, nil
}

// certificatesOnly returns the certificates of a PEM text.
func certificatesOnly(text []byte) string {
	var certificates strings.Builder
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			certificates.WriteString(encodePEM(block.Type, block.Bytes))
		}
	}
	return certificates.String()
}
