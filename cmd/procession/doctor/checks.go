package doctor

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

// The names of the checks.
const (
	CheckConfiguration    = "configuration"
	CheckDatabase         = "database"
	CheckSchema           = "schema"
	CheckRetention        = "retention"
	CheckEventLog         = "event-log"
	CheckReferences       = "references"
	CheckConnections      = "connections"
	CheckDatabaseClock    = "database-clock"
	CheckSealKey          = "seal-key"
	CheckSigningKeys      = "signing-keys"
	CheckAuthorities      = "authorities"
	CheckHTTPS            = "https-certificate"
	CheckProxies          = "proxies"
	CheckMail             = "mail"
	CheckDocuments        = "documents"
	CheckOIDC             = "oidc-issuers"
	CheckFiles            = "reading-files"
	CheckTemporalTLS      = "temporal-certificate"
	CheckTemporalClusters = "temporal-clusters"
	CheckTemporalCloud    = "temporal-cloud"
	CheckTemporalOpen     = "temporal-authorizer"
	CheckTemporalKeys     = "temporal-keys"
	CheckTemporalClock    = "temporal-clock"
	CheckNamespaces       = "namespaces"
	CheckOwnWorkers       = "service-workflows"
	CheckWorkers          = "workers"
	CheckTokens           = "access-tokens"
)

// Options contain the services that the configuration depends on.
type Options struct {
	Clock func() time.Time
	// Settings is the error of wrong or missing settings, nil for none. Secrets are settings
	// that may hold passwords, which are left out of findings.
	Settings error
	Secrets  []string

	OpenDatabase func(ctx context.Context) (*persistence.DB, error)
	OpenSealer   func(ctx context.Context) (*authn.Sealer, error)
	// SealKeyFiles are the files of the seal keys.
	SealKeyFiles        authn.SealKeyFiles
	Issuer              string
	KeyPublishDelay     time.Duration
	CertificateLifetime time.Duration
	OIDCIssuers         []authn.OIDCIssuer
	// PublicURL is the URL of the service for browsers, "" if that is not set.
	PublicURL       string
	ListenTLS       string
	TLSCert, TLSKey string

	// CheckCloud calls the operations API of Temporal Cloud for each cluster there, nil without one.
	CheckCloud func(ctx context.Context) error

	// CheckMail connects to the SMTP server, nil without one.
	CheckMail func(ctx context.Context) error

	// TrustedProxies are the settings of the same name. UntrustedProxy returns the last peer
	// that is none of them and sent X-Forwarded-For to the running service, and when; the zero
	// time if there is none. It is nil outside the service.
	TrustedProxies []string
	UntrustedProxy func() (peer string, at time.Time)

	DocumentsURL     string
	MaxDocumentBytes int64
	Assisted         bool
	FormsAsDocuments bool
	// FindPDFToText returns the path of the program that reads PDFs.
	FindPDFToText func() (string, error)
	// FindTypesetter returns the reason why forms cannot be rendered as PDF. InstallTypesetter and InstallFonts are the
	// commands that install its parts.
	FindTypesetter                  func(ctx context.Context) error
	InstallTypesetter, InstallFonts string

	// Clusters are Temporal's clusters, the default one first.
	Clusters          []Cluster
	TemporalTLSCA     string
	TemporalRetention time.Duration
	// EngineOptions returns the options of the connections to the clusters.
	EngineOptions func(issuer *authn.Issuer, db *persistence.DB) (engine.Options, error)
	QueueTimeouts domain.TaskQueueTimeouts
	// Timeout bounds each check; 0 means 5 seconds.
	Timeout time.Duration
	// EventRetention is the longest time for which events are kept, 0 forever.
	EventRetention time.Duration
	Schedules      []engine.Schedule
}

// Cluster is a Temporal cluster.
type Cluster struct {
	Name    string
	Address string
	// OwnCredentials reports whether the service uses credentials of its own authority.
	OwnCredentials bool
	// Loopback reports whether the address is a loopback address.
	Loopback bool
	// Credentials returns the credentials of the service.
	Credentials func(issuer *authn.Issuer) (engine.Credentials, error)
}

// Examine runs all checks, at most five seconds each.
func Examine(ctx context.Context, o Options) []Finding {
	d := &doctor{Options: o}
	defer d.close()
	findings := runExaminations(ctx, d.listExaminations(), cmp.Or(d.Timeout, checkTimeout))
	d.redactFindings(findings)
	return findings
}

// doctor contains the options and the resources that one check opens for later ones.
type doctor struct {
	Options

	db        *persistence.DB
	sealer    *authn.Sealer
	issuer    *authn.Issuer
	documents *blobstore.Store
	// connections are those to the clusters, temporal is the one to the default cluster.
	connections []*connection
	temporal    *connection
	engine      *engine.Engine
}

// listExaminations returns the checks in the order of the report.
func (d *doctor) listExaminations() []examination {
	schema := []string{CheckDatabase, CheckSchema}
	sealed := []string{CheckDatabase, CheckSchema, CheckSealKey}
	keys := slices.Concat(sealed, []string{CheckSigningKeys})
	temporal := slices.Concat(keys, []string{CheckTemporalTLS})
	guarded := slices.Concat(temporal, []string{CheckTemporalOpen})
	// A Temporal without an authorizer checks neither keys nor clocks; its namespaces
	// can be inspected all the same.
	trusted := slices.Concat(temporal, []string{CheckTemporalKeys})
	return []examination{
		{CheckConfiguration, nil, d.checkConfiguration},
		{CheckDatabase, nil, d.checkDatabase},
		{CheckDatabaseClock, []string{CheckDatabase}, d.checkDatabaseClock},
		{CheckConnections, []string{CheckDatabase}, d.checkConnections},
		{CheckSchema, []string{CheckDatabase}, d.checkSchema},
		{CheckReferences, schema, d.checkReferences},
		{CheckEventLog, schema, d.checkEventLog},
		{CheckSealKey, schema, d.checkSealKey},
		{CheckSigningKeys, sealed, d.checkSigningKeys},
		{CheckAuthorities, keys, d.checkAuthorities},
		{CheckHTTPS, nil, d.checkHTTPS},
		{CheckProxies, nil, d.checkProxies},
		{CheckMail, nil, d.checkMail},
		{CheckDocuments, nil, d.checkDocuments},
		{CheckOIDC, nil, d.checkOIDC},
		{CheckFiles, nil, d.checkFiles},
		{CheckTemporalTLS, keys, d.checkTemporalTLS},
		{CheckTemporalClusters, keys, d.checkTemporalClusters},
		{CheckTemporalCloud, keys, d.checkCloud},
		{CheckTemporalOpen, temporal, d.checkTemporalOpen},
		{CheckTemporalKeys, guarded, d.checkTemporalKeys},
		{CheckTemporalClock, slices.Concat(guarded, []string{CheckTemporalKeys}), d.checkTemporalClock},
		{CheckNamespaces, trusted, d.checkNamespaces},
		{CheckOwnWorkers, trusted, d.checkOwnWorkers},
		{CheckRetention, schema, d.checkRetention},
		{CheckWorkers, schema, d.checkWorkers},
		{CheckTokens, schema, d.checkTokens},
	}
}

func (d *doctor) close() {
	if d.engine != nil {
		d.engine.Close()
	}
	for _, c := range d.connections {
		_ = c.probe.Close()
	}
	if d.documents != nil {
		_ = d.documents.Close()
	}
	if d.db != nil {
		d.db.Close()
	}
}

// redacted stands for a password.
const redacted = "REDACTED"

// redactFindings removes the passwords of the configuration from the findings: errors may contain them.
func (d *doctor) redactFindings(findings []Finding) {
	var pairs []string
	for _, setting := range d.Secrets {
		for _, secret := range passwordsIn(setting) {
			pairs = append(pairs, secret, redacted)
		}
	}
	concealed := strings.NewReplacer(pairs...)
	for i, f := range findings {
		findings[i].Finding = concealed.Replace(f.Finding)
	}
}

// passwordsIn returns the password of a URL, in every place that it may have, and the
// URL itself if it is none.
func passwordsIn(setting string) []string {
	if setting == "" {
		return nil
	}
	u, err := url.Parse(setting)
	if err != nil || u.Scheme == "" {
		passwords := []string{setting}
		for field := range strings.FieldsSeq(setting) {
			if name, value, found := strings.Cut(field, "="); found && strings.EqualFold(name, "password") && value != "" {
				passwords = append(passwords, strings.Trim(value, "'"))
			}
		}
		return passwords
	}
	var passwords []string
	if password, found := u.User.Password(); found && password != "" {
		passwords = append(passwords, password)
	}
	if password := u.Query().Get("password"); password != "" {
		passwords = append(passwords, password)
	}
	return passwords
}

// errorText returns an error in one line.
func errorText(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}
