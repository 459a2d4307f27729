package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

// envPrefix starts the names of the environment variables.
const envPrefix = "PROCESSION_"

// Config is every setting of the service. A setting has one name: as a flag
// (--database-url), as an environment variable (PROCESSION_DATABASE_URL) and in
// the file (database-url). Flags win over the environment, the environment over
// the file, the file over the default.
type Config struct {
	File string `yaml:"-" env:"CONFIG"`

	Listen      string `yaml:"listen" env:"LISTEN"`
	ListenTLS   string `yaml:"listen-tls" env:"LISTEN_TLS"`
	TLSCert     string `yaml:"tls-cert" env:"TLS_CERT"`
	TLSKey      string `yaml:"tls-key" env:"TLS_KEY"`
	ListenAdmin string `yaml:"listen-admin" env:"LISTEN_ADMIN"`

	ListenManagement     string        `yaml:"listen-management" env:"LISTEN_MANAGEMENT"`
	HSTSMaxAge           time.Duration `yaml:"hsts-max-age" env:"HSTS_MAX_AGE"`
	MaxConnections       int           `yaml:"max-connections" env:"MAX_CONNECTIONS"`
	TrustedProxies       hostList      `yaml:"trusted-proxies" env:"TRUSTED_PROXIES"`
	PrincipalRate        int           `yaml:"principal-rate" env:"PRINCIPAL_RATE"`
	PrincipalConcurrency int           `yaml:"principal-concurrency" env:"PRINCIPAL_CONCURRENCY"`
	TenantRate           int           `yaml:"tenant-rate" env:"TENANT_RATE"`
	AddressRate          int           `yaml:"address-rate" env:"ADDRESS_RATE"`
	FailedSignIns        int           `yaml:"failed-sign-ins" env:"FAILED_SIGN_INS"`

	DatabaseURL                   string        `yaml:"database-url" env:"DATABASE_URL"`
	DatabaseConnections           int32         `yaml:"database-connections" env:"DATABASE_CONNECTIONS"`
	DatabaseBackgroundConnections int32         `yaml:"database-background-connections" env:"DATABASE_BACKGROUND_CONNECTIONS"`
	DatabaseStreamConnections     int32         `yaml:"database-stream-connections" env:"DATABASE_STREAM_CONNECTIONS"`
	DatabaseStatementTimeout      time.Duration `yaml:"database-statement-timeout" env:"DATABASE_STATEMENT_TIMEOUT"`
	ListMemoryBytes               int64         `yaml:"list-memory-bytes" env:"LIST_MEMORY_BYTES"`
	Migrate                       string        `yaml:"migrate" env:"MIGRATE"`

	SealKeyFile         string   `yaml:"seal-key-file" env:"SEAL_KEY_FILE"`
	EarlierSealKeyFiles pathList `yaml:"earlier-seal-key-files" env:"EARLIER_SEAL_KEY_FILES"`
	SealKeyKeeper       string   `yaml:"seal-key-keeper" env:"SEAL_KEY_KEEPER"`

	DocumentsURL     string `yaml:"documents-url" env:"DOCUMENTS_URL"`
	MaxDocumentBytes int64  `yaml:"max-document-bytes" env:"MAX_DOCUMENT_BYTES"`

	TemporalAddress   string        `yaml:"temporal-address" env:"TEMPORAL_ADDRESS"`
	TemporalRetention time.Duration `yaml:"temporal-retention" env:"TEMPORAL_RETENTION"`
	TemporalCAFile    string        `yaml:"temporal-ca-file" env:"TEMPORAL_CA_FILE"`

	TaskQueueInterval time.Duration `yaml:"task-queue-interval" env:"TASK_QUEUE_INTERVAL"`
	PollerPatience    time.Duration `yaml:"poller-patience" env:"POLLER_PATIENCE"`

	Issuer              string        `yaml:"issuer" env:"ISSUER"`
	CertificateLifetime time.Duration `yaml:"certificate-lifetime" env:"CERTIFICATE_LIFETIME"`
	KeyReload           time.Duration `yaml:"key-reload" env:"KEY_RELOAD"`
	KeyPublishDelay     time.Duration `yaml:"key-publish-delay" env:"KEY_PUBLISH_DELAY"`
	OIDCIssuers         oidcIssuers   `yaml:"oidc-issuers" env:"OIDC_ISSUERS"`

	AccessTokenLifetime    time.Duration `yaml:"access-token-lifetime" env:"ACCESS_TOKEN_LIFETIME"`
	MaxAccessTokenLifetime time.Duration `yaml:"max-access-token-lifetime" env:"MAX_ACCESS_TOKEN_LIFETIME"`
	MaxSecretLifetime      time.Duration `yaml:"max-secret-lifetime" env:"MAX_SECRET_LIFETIME"`

	WebhookAllow             hostList      `yaml:"webhook-allow" env:"WEBHOOK_ALLOW"`
	WebhookRefuse            hostList      `yaml:"webhook-refuse" env:"WEBHOOK_REFUSE"`
	WebhookAllowHTTP         bool          `yaml:"webhook-allow-http" env:"WEBHOOK_ALLOW_HTTP"`
	AssistanceURL            string        `yaml:"assistance-url" env:"ASSISTANCE_URL"`
	AssistanceKeyFile        string        `yaml:"assistance-key-file" env:"ASSISTANCE_KEY_FILE"`
	AssistanceModel          string        `yaml:"assistance-model" env:"ASSISTANCE_MODEL"`
	AssistanceEmbeddingModel string        `yaml:"assistance-embedding-model" env:"ASSISTANCE_EMBEDDING_MODEL"`
	AssistanceBuiltin        bool          `yaml:"assistance-builtin" env:"ASSISTANCE_BUILTIN"`
	AssistanceCallTimeout    time.Duration `yaml:"assistance-call-timeout" env:"ASSISTANCE_CALL_TIMEOUT"`
	AssistanceTimeout        time.Duration `yaml:"assistance-timeout" env:"ASSISTANCE_TIMEOUT"`

	TemporaryDocuments   int64 `yaml:"temporary-documents" env:"TEMPORARY_DOCUMENTS"`
	TemporaryBytes       int64 `yaml:"temporary-bytes" env:"TEMPORARY_BYTES"`
	AssistanceRunsPerDay int   `yaml:"assistance-runs-per-day" env:"ASSISTANCE_RUNS_PER_DAY"`
	AssistanceRunsAtOnce int   `yaml:"assistance-runs-at-once" env:"ASSISTANCE_RUNS_AT_ONCE"`

	PDFToText        string `yaml:"pdftotext" env:"PDFTOTEXT"`
	FormsAsDocuments bool   `yaml:"forms-as-documents" env:"FORMS_AS_DOCUMENTS"`

	TaskLogLimit int           `yaml:"task-log-limit" env:"TASK_LOG_LIMIT"`
	CancelGrace  time.Duration `yaml:"cancel-grace" env:"CANCEL_GRACE"`
	MaxBodyBytes int64         `yaml:"max-body-bytes" env:"MAX_BODY_BYTES"`
	DrainDelay   time.Duration `yaml:"drain-delay" env:"DRAIN_DELAY"`
	DrainTimeout time.Duration `yaml:"drain-timeout" env:"DRAIN_TIMEOUT"`

	ShapeADeprecated string `yaml:"shape-a-deprecated" env:"SHAPE_A_DEPRECATED"`
	ShapeASunset     string `yaml:"shape-a-sunset" env:"SHAPE_A_SUNSET"`

	LogLevel  slog.Level `yaml:"log-level" env:"LOG_LEVEL"`
	LogFormat string     `yaml:"log-format" env:"LOG_FORMAT"`

	// webhookDelay is no setting; it is when webhooks are repeated.
	webhookDelay app.WebhookDelay
}

// Values of Config.Migrate.
const (
	migrateAuto  = "auto"
	migrateCheck = "check"
	migrateOff   = "off"
)

// bind sets the defaults and declares the flags.
func (c *Config) bind(f *pflag.FlagSet) {
	f.StringVar(&c.File, "config", "", "YAML file of settings")
	f.StringVar(&c.Listen, "listen", "127.0.0.1:8080", "address of the REST API over HTTP; empty for none")
	f.StringVar(&c.ListenTLS, "listen-tls", "", "address of the REST API over HTTPS; empty for none")
	f.StringVar(&c.TLSCert, "tls-cert", "", "certificate of the HTTPS listeners (PEM file), read again when it changes")
	f.StringVar(&c.TLSKey, "tls-key", "", "private key of the HTTPS listeners (PEM file), read again when it changes")
	f.StringVar(&c.ListenAdmin, "listen-admin", "127.0.0.1:9090", "address of /livez, /readyz and /metrics")
	c.bindHTTP(f)
	c.bindDatabase(f)
	f.StringVar(&c.Migrate, "migrate", migrateAuto, "schema at start: auto (update), check (refuse an old one), off")
	f.StringVar(&c.SealKeyFile, "seal-key-file", "", "file of the key that seals secrets in the database (32 bytes, base64)")
	f.Var(&c.EarlierSealKeyFiles, "earlier-seal-key-files",
		"files of earlier seal keys, which only open what they sealed; separated by commas")
	f.StringVar(&c.SealKeyKeeper, "seal-key-keeper", "",
		"URL of what encrypts the seal key in its file: awskms:///alias/…?region=… (may be secret)")
	f.StringVar(&c.DocumentsURL, "documents-url", "",
		"where the bytes of documents are kept: file:///directory or s3://bucket?region=…")
	f.Int64Var(&c.MaxDocumentBytes, "max-document-bytes", app.DefaultMaxDocumentBytes, "largest document, in bytes")
	f.StringVar(&c.TemporalAddress, "temporal-address", "", "host:port of Temporal's frontend")
	f.DurationVar(&c.TemporalRetention, "temporal-retention", engine.DefaultRetention,
		"how long namespaces made by the service keep ended workflows")
	f.StringVar(&c.TemporalCAFile, "temporal-ca-file", "",
		"authority of Temporal's certificate (PEM file); empty for the service's own")
	f.DurationVar(&c.TaskQueueInterval, "task-queue-interval", engine.DefaultTaskQueueInterval,
		"how often task queues are looked at in Temporal")
	f.DurationVar(&c.PollerPatience, "poller-patience", domain.DefaultTaskQueuePatience().Poll,
		"how long ago a worker may have begun to poll that is taken to poll still")
	f.StringVar(&c.Issuer, "issuer", "procession", "issuer named in engine tokens")
	f.DurationVar(&c.CertificateLifetime, "certificate-lifetime", authn.DefaultCertificateLifetime,
		"lifetime of engine certificates, 1h to 8760h")
	f.DurationVar(&c.KeyReload, "key-reload", authn.DefaultKeyReload,
		"how often signing keys that other replicas made are looked for")
	f.DurationVar(&c.KeyPublishDelay, "key-publish-delay", authn.DefaultPublishDelay,
		"how long a new signing key is published before it signs, more than --key-reload, at most 30m")
	f.Var(&c.OIDCIssuers, "oidc-issuers", "OpenID Connect issuers whose tokens let users in, as YAML or JSON: "+
		`[{"issuer": "https://…", "audiences": ["…"], "tenants": ["…"], "email-domains": ["…"], "operators": false}]`)
	f.DurationVar(&c.AccessTokenLifetime, "access-token-lifetime", app.DefaultAccessTokenLifetime,
		"how long a personal access token works that is issued without an expiry; 0 for as long as it may")
	f.DurationVar(&c.MaxAccessTokenLifetime, "max-access-token-lifetime", app.MaxAccessTokenLifetime,
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
		"day since which clients of API version 2022-10-08 are told to move on; empty for never")
	f.StringVar(&c.ShapeASunset, "shape-a-sunset", "", "day on which API version 2022-10-08 is to go, told to its clients")
	f.DurationVar(&c.DrainDelay, "drain-delay", 0,
		"how long /readyz says no on shutdown before new connections are refused")
	f.DurationVar(&c.DrainTimeout, "drain-timeout", 20*time.Second, "how long requests may take to end on shutdown")
	f.TextVar(&c.LogLevel, "log-level", slog.LevelInfo, "debug, info, warn or error")
	f.StringVar(&c.LogFormat, "log-format", "json", "json or text")
}

// load reads the file and the environment, lets the flags that were given win,
// and checks the result.
func (c *Config) load(flags *pflag.FlagSet) error {
	given := map[*pflag.Flag]string{}
	flags.Visit(func(f *pflag.Flag) { given[f] = f.Value.String() })
	if file, ok := os.LookupEnv(envPrefix + "CONFIG"); ok && !flags.Changed("config") {
		c.File = file
	}
	if err := c.loadFile(); err != nil {
		return err
	}
	if err := env.ParseWithOptions(c, env.Options{Prefix: envPrefix}); err != nil {
		return fmt.Errorf("reading the environment: %w", err)
	}
	for f, value := range given {
		if err := f.Value.Set(value); err != nil {
			return fmt.Errorf("reading --%s: %w", f.Name, err)
		}
	}
	c.OIDCIssuers.complete()
	return c.check()
}

func (c *Config) loadFile() error {
	if c.File == "" {
		return nil
	}
	content, err := os.ReadFile(c.File)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading %s: %w", c.File, err)
	}
	return nil
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
	must(c.AccessTokenLifetime >= 0 && c.MaxAccessTokenLifetime >= 0 && c.MaxSecretLifetime >= 0 &&
		(c.MaxAccessTokenLifetime == 0 || c.AccessTokenLifetime <= c.MaxAccessTokenLifetime),
		"--access-token-lifetime must be 0 to --max-access-token-lifetime, and --max-secret-lifetime not negative")
	_, err := c.deprecation()
	_, unguarded := c.webhookGuard()
	return errors.Join(append(wrong, c.OIDCIssuers.check(c.Issuer), c.checkFeatures(), c.checkHTTP(), c.checkQuotas(), err, unguarded)...)
}

// The require functions are for the commands that cannot do without.

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
	variable := envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
	return usageError{fmt.Errorf("--%s (or %s) is required", flag, variable)}
}
