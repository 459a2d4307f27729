package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/events/dispatch"
)

// defaultListen is the default address of the REST API.
const defaultListen = "127.0.0.1:8080"

// The values of --personal-tokens.
const (
	personalTokensAllowed = "allowed"
	personalTokensNone    = "none"
)

// Config holds every setting of the service. A setting is declared once, by its
// flag in bind: its environment variable and its key in the file have the name of
// the flag. See load.
type Config struct {
	File string

	Listen         string
	ListenTLS      string
	TLSCert        string
	TLSKey         string
	ListenHealth   string
	HealthProfiles bool

	PublicURL    string
	AllowedHosts textList

	ListenAdministration string
	HSTSMaxAge           time.Duration
	HSTSSubdomains       bool
	MaxConnections       int
	AddressConnections   int
	TrustedProxies       textList
	CORSOrigins          textList
	PrincipalRate        int
	PrincipalConcurrency int
	TenantRate           int
	AddressRate          int
	FailedSignIns        int
	SessionIdle          time.Duration
	SessionLifetime      time.Duration
	SignInMaxAge         time.Duration

	DatabaseURL                   string
	DatabaseDirectURL             string
	DatabaseConnections           int32
	DatabaseBackgroundConnections int32
	DatabaseStreamConnections     int32
	DatabaseStatementTimeout      time.Duration
	ListMemoryBytes               int64
	Migrate                       string

	SealKeyFile         string
	EarlierSealKeyFiles textList
	SealKeyKeeper       string

	DocumentsURL     string
	MaxDocumentBytes int64

	TemporalAddress   string
	TemporalRetention time.Duration
	TemporalCAFile    string

	TaskQueueInterval time.Duration
	PollerPatience    time.Duration

	Issuer              string
	CertificateLifetime time.Duration
	KeyReload           time.Duration
	KeyPublishDelay     time.Duration
	OIDCIssuers         oidcIssuers

	PersonalTokens         string
	AccessTokenLifetime    time.Duration
	MaxAccessTokenLifetime time.Duration
	MaxSecretLifetime      time.Duration

	WebhookAllow             textList
	WebhookRefuse            textList
	WebhookAllowHTTP         bool
	AssistanceURL            string
	AssistanceKeyFile        string
	AssistanceModel          string
	AssistanceEmbeddingModel string
	AssistanceBuiltin        bool
	AssistanceCallTimeout    time.Duration
	AssistanceTimeout        time.Duration

	TemporaryDocuments   int64
	TemporaryBytes       int64
	AssistanceRunsPerDay int
	AssistanceRunsAtOnce int

	EventRetention      time.Duration
	ProcessRetention    time.Duration
	DeletedRetention    time.Duration
	DeliveryRetention   time.Duration
	AssistanceRetention time.Duration

	PDFToText        string
	FormsAsDocuments bool

	TaskLogLimit int
	CancelGrace  time.Duration
	MaxBodyBytes int64
	DrainDelay   time.Duration
	DrainTimeout time.Duration

	ShapeADeprecated string
	ShapeASunset     string

	LogLevel  slog.Level
	LogFormat string

	// webhookDelay is no setting; it is when webhooks are repeated.
	webhookDelay dispatch.Delay
	// databasePatience is no setting; it is how long a command waits for PostgreSQL to answer.
	databasePatience time.Duration
}

// Values of Config.Migrate.
const (
	migrateAuto  = "auto"
	migrateCheck = "check"
	migrateOff   = "off"
)

// bind sets the defaults and declares the flags.
func (c *Config) bind(f *pflag.FlagSet) { //nolint:funlen // a list
	f.StringVar(&c.File, configFlag, "", "YAML file of settings")
	f.StringVar(&c.Listen, "listen", defaultListen, "address of the REST API over HTTP; empty for none")
	f.StringVar(&c.ListenTLS, "listen-tls", "", "address of the REST API over HTTPS; empty for none")
	f.StringVar(&c.TLSCert, "tls-cert", "", "certificate of the HTTPS listeners (PEM file), read again when it changes")
	f.StringVar(&c.TLSKey, "tls-key", "", "private key of the HTTPS listeners (PEM file), read again when it changes")
	f.StringVar(&c.ListenHealth, "listen-health", "127.0.0.1:9090",
		"address of /livez, /readyz and /metrics, without authentication; empty for none")
	f.BoolVar(&c.HealthProfiles, "health-profiles", false,
		"serve /debug/pprof/ on --listen-health although it is not a loopback address; on loopback it is served in any case")
	c.bindPublic(f)
	c.bindHTTP(f)
	c.bindDatabase(f)
	f.StringVar(&c.Migrate, "migrate", migrateAuto, "schema at start: auto (update), check (refuse an old one), off")
	f.StringVar(&c.SealKeyFile, "seal-key-file", "", "file of the key that seals secrets in the database (32 bytes, base64)")
	f.Var(&c.EarlierSealKeyFiles, "earlier-seal-key-files",
		"`files` of earlier seal keys, which only open what they sealed; separated by commas")
	f.StringVar(&c.SealKeyKeeper, "seal-key-keeper", "",
		"URL of what encrypts the seal key in its file: awskms:///alias/…?region=… (may be secret)")
	f.StringVar(&c.DocumentsURL, "documents-url", "",
		"where the bytes of documents are kept: file:///directory or s3://bucket?region=…")
	f.Int64Var(&c.MaxDocumentBytes, "max-document-bytes", storage.DefaultMaxDocumentBytes, "largest document, in bytes")
	f.StringVar(&c.TemporalAddress, "temporal-address", "", "host:port of Temporal's frontend")
	f.DurationVar(&c.TemporalRetention, "temporal-retention", engine.DefaultRetention,
		"how long namespaces made by the service keep ended workflows")
	f.StringVar(&c.TemporalCAFile, "temporal-ca-file", "",
		"authority of Temporal's certificate (PEM file); empty for the service's own")
	f.DurationVar(&c.TaskQueueInterval, "task-queue-interval", engine.DefaultTaskQueueInterval,
		"how often task queues are observed in Temporal")
	f.DurationVar(&c.PollerPatience, "poller-patience", domain.DefaultTaskQueueTimeouts().Poll,
		"how long after its last poll began a worker still counts as polling")
	f.StringVar(&c.Issuer, "issuer", "procession", "issuer named in engine tokens")
	f.DurationVar(&c.CertificateLifetime, "certificate-lifetime", authn.DefaultCertificateLifetime,
		"lifetime of engine certificates, 1h to 8760h")
	f.DurationVar(&c.KeyReload, "key-reload", authn.DefaultKeyReload,
		"how often signing keys that other replicas made are looked for")
	f.DurationVar(&c.KeyPublishDelay, "key-publish-delay", authn.DefaultPublishDelay,
		"how long a new signing key is published before it signs, more than --key-reload, at most 30m")
	f.Var(&c.OIDCIssuers, "oidc-issuers", "OpenID Connect issuers whose tokens let users in, as YAML or JSON: "+
		`[{"issuer": "https://…", "audiences": ["…"], "tenants": ["…"], "email-domains": ["…"], "operators": false}]`)
	f.StringVar(&c.PersonalTokens, "personal-tokens", personalTokensAllowed,
		"whether administrators may issue personal access tokens for users: allowed, or none where users sign in through an issuer only")
	f.DurationVar(&c.AccessTokenLifetime, "access-token-lifetime", administration.DefaultAccessTokenLifetime,
		"how long a personal access token works that is issued without an expiry; 0 for as long as it may")
	f.DurationVar(&c.MaxAccessTokenLifetime, "max-access-token-lifetime", administration.MaxAccessTokenLifetime,
		"how long a personal access token may be issued for; 0 for any time")
	f.DurationVar(&c.MaxSecretLifetime, "max-secret-lifetime", 0,
		"how long a secret of an application may be issued for; 0 for any time")
	f.Var(&c.WebhookAllow, "webhook-allow",
		"hosts, addresses and prefixes such as 10.1.0.0/16 that webhooks may be sent to although they are not public")
	f.Var(&c.WebhookRefuse, "webhook-refuse", "addresses and prefixes that webhooks may not be sent to although they are public")
	f.BoolVar(&c.WebhookAllowHTTP, "webhook-allow-http", false,
		"accept http:// for webhooks to everywhere, not to the hosts of --webhook-allow alone")
	c.bindFeatures(f)
	c.bindQuotas(f)
	f.IntVar(&c.TaskLogLimit, "task-log-limit", app.DefaultTaskLogLimit, "entries a task log keeps, 1 to 10000")
	f.DurationVar(&c.CancelGrace, "cancel-grace", time.Minute,
		"how long a workflow may take to cancel before it is terminated")
	f.Int64Var(&c.MaxBodyBytes, "max-body-bytes", 1<<20, "largest JSON request body, in bytes")
	f.StringVar(&c.ShapeADeprecated, "shape-a-deprecated", "2024-06-14",
		"date since which API version 2022-10-08 is deprecated, sent in the Deprecation header; empty for none")
	f.StringVar(&c.ShapeASunset, "shape-a-sunset", "", "date on which API version 2022-10-08 will be removed, sent in the Sunset header; empty for none")
	f.DurationVar(&c.DrainDelay, "drain-delay", 0,
		"on shutdown, how long /readyz answers 503 before new connections are refused")
	f.DurationVar(&c.DrainTimeout, "drain-timeout", 20*time.Second, "on shutdown, how long requests in progress may take")
	f.TextVar(&c.LogLevel, "log-level", slog.LevelInfo, "debug, info, warn or error")
	f.StringVar(&c.LogFormat, "log-format", "json", "json or text")
}

func (c *Config) check() error {
	var wrong []error
	must := func(ok bool, complaint string) {
		if !ok {
			wrong = append(wrong, errors.New(complaint))
		}
	}
	must(c.Listen != "" || c.ListenTLS != "", "one of --listen and --listen-tls is required")
	must(slices.Contains([]string{migrateAuto, migrateCheck, migrateOff}, c.Migrate),
		"--migrate must be auto, check or off")
	must(slices.Contains([]string{"json", "text"}, c.LogFormat), "--log-format must be json or text")
	must(c.TaskLogLimit >= 1 && c.TaskLogLimit <= 10_000, "--task-log-limit must be 1 to 10000")
	must(c.CertificateLifetime >= authn.MinCertificateLifetime && c.CertificateLifetime <= authn.MaxCertificateLifetime,
		"--certificate-lifetime must be 1h to 8760h")
	must(c.TaskQueueInterval >= 100*time.Millisecond, "--task-queue-interval must be 100ms or more")
	must(c.PollerPatience >= time.Second, "--poller-patience must be 1s or more")
	must(c.MaxBodyBytes >= 1024, "--max-body-bytes must be 1024 or more")
	must(c.MaxDocumentBytes >= 1024, "--max-document-bytes must be 1024 or more")
	must(c.CancelGrace >= 0 && c.DrainDelay >= 0 && c.DrainTimeout >= 0,
		"--cancel-grace, --drain-delay and --drain-timeout must not be negative")
	must(c.KeyReload >= time.Millisecond && c.KeyPublishDelay > c.KeyReload && c.KeyPublishDelay <= authn.MaxPublishDelay,
		"--key-publish-delay must be more than --key-reload and at most 30m")
	wrong = append(wrong, c.checkDatabase()...)
	must(c.PersonalTokens == personalTokensAllowed || c.PersonalTokens == personalTokensNone,
		"--personal-tokens must be allowed or none")
	must(c.PersonalTokens != personalTokensNone || len(c.OIDCIssuers) > 0,
		"--personal-tokens none needs --oidc-issuers, through which users sign in")
	must(c.AccessTokenLifetime >= 0 && c.MaxAccessTokenLifetime >= 0 && c.MaxSecretLifetime >= 0 &&
		(c.MaxAccessTokenLifetime == 0 || c.AccessTokenLifetime <= c.MaxAccessTokenLifetime),
		"--access-token-lifetime must be 0 to --max-access-token-lifetime, and --max-secret-lifetime not negative")
	_, err := c.deprecation()
	_, unguarded := c.webhookGuard()
	return errors.Join(append(wrong, c.OIDCIssuers.check(c.Issuer), c.checkFeatures(), c.checkHTTP(), c.checkPublic(), c.checkQuotas(), c.checkRetention(), err,
		unguarded)...)
}

// The require functions are for the commands that cannot do without.

// requireService checks the settings that the service needs.
func (c *Config) requireService() error {
	return errors.Join(c.requireDatabase(), c.requireSealKey(), c.requireTemporal(), c.requireDocuments(), c.requireTLSFiles(),
		c.requirePublicURL())
}

func (c *Config) requireDatabase() error {
	if c.DatabaseURL == "" {
		return missing("database-url")
	}
	return nil
}

func (c *Config) requireSealKey() error {
	if c.SealKeyFile == "" {
		return fmt.Errorf("%w; make a key with: procession seal-key create --out seal.key", missing("seal-key-file"))
	}
	return nil
}

func (c *Config) requireTemporal() error {
	if c.TemporalAddress == "" {
		return missing("temporal-address")
	}
	return nil
}

func (c *Config) requireDocuments() error {
	if c.DocumentsURL == "" {
		return fmt.Errorf("%w; give file:///directory for a directory that is backed up, or s3://bucket",
			missing("documents-url"))
	}
	return nil
}

func (c *Config) requireTLSFiles() error {
	if c.ListenTLS != "" && (c.TLSCert == "" || c.TLSKey == "") {
		return usageError{errors.New("--listen-tls needs --tls-cert and --tls-key")}
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return usageError{errors.New("--tls-cert and --tls-key need each other")}
	}
	return nil
}

func missing(flag string) error {
	return usageError{fmt.Errorf("--%s (or %s) is required", flag, variable(flag))}
}
