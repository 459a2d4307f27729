// Package options reads the settings of temporal-server from its command line, its environment and a file.
package options

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/temporal-server/access"
)

// EnvPrefix is the prefix of the environment variables that set flags.
const EnvPrefix = "PROCESSION_TEMPORAL_"

const (
	configFlag = "config"

	// siblingURL stands for the list of revocations beside the key set.
	siblingURL = "auto"
	// defaultHistoryShards is Temporal's recommendation for clusters that may grow. The number cannot be changed once a database has been
	// used.
	defaultHistoryShards = 512
	// defaultTaskQueuePartitions is Temporal's own default, with which existing databases were used.
	defaultTaskQueuePartitions = 4
)

// Store is the kind of database in which Temporal stores its state.
type Store string

// The supported stores.
const (
	StoreSQLite   Store = "sqlite"
	StorePostgres Store = "postgres"
)

// Options are the validated settings of one server.
type Options struct {
	Listen        string // host:port of the frontend; port 0 chooses a free one
	MetricsListen string // host:port of the Prometheus endpoint; empty: none

	Services []string // the services of Temporal this process runs; empty: all of them
	Hosts    []string // where the others are, as "history=10.0.0.2:7234"; with Services only
	Internal string   // PEM file with the certificate and key all processes of the cluster share; with Services only

	Store               Store
	DatabaseURL         string // maintenance database of the PostgreSQL server; holds a password, never log it
	Database            string
	VisibilityDatabase  string
	DatabaseConnections int
	HistoryShards       int
	TaskQueuePartitions int // 0: as Temporal has it

	JWKSURL            string
	JWKSRefresh        time.Duration
	RevocationsURL     string // empty: nothing is revoked
	RevocationsRefresh time.Duration
	PublishedMaxAge    time.Duration // how long keys and revocations are trusted without being read again
	AllowPlainHTTP     bool          // read both over http from other machines, too
	Issuer             string

	EngineMethods  []string // methods of the workflow service engines may call besides those workers need
	NexusEndpoints []string // Nexus endpoints the workflows of engines may call
	CheckCommands  bool     // whether commands may name only task queues of the tenant

	TLSCert    string // PEM file of the frontend's certificate chain
	TLSKey     string // PEM file of its private key
	ClientCA   string // PEM file with every CA whose client certificates are accepted
	TLSRefresh time.Duration

	LogLevel string
}

// Parse returns the validated options from args; flags that args do not set come from lookupEnv, then from the file that --config names.
// If args request the help, Parse writes it to output and returns [flag.ErrHelp]. No error contains the value of --database-url.
func Parse(args []string, lookupEnv func(string) (string, bool), output io.Writer) (Options, error) {
	var opts Options
	fs := opts.flagSet(output)
	file, err := configFile(args, lookupEnv)
	if err != nil {
		return Options{}, err
	}
	if file != "" {
		if err := setFromFile(fs, file); err != nil {
			return Options{}, err
		}
	}
	if err := setFromEnv(fs, lookupEnv); err != nil {
		return Options{}, err
	}
	if err := fs.Parse(args); err != nil {
		return Options{}, err
	}
	if fs.NArg() > 0 {
		return Options{}, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if opts.RevocationsURL == siblingURL {
		opts.RevocationsURL = access.SiblingRevocationsURL(opts.JWKSURL)
	}
	if err := opts.validate(); err != nil {
		return Options{}, err
	}
	return opts, nil
}

func setFromEnv(fs *flag.FlagSet, lookupEnv func(string) (string, bool)) error {
	var errs []error
	fs.VisitAll(func(f *flag.Flag) {
		name := EnvName(f.Name)
		value, ok := lookupEnv(name)
		if !ok {
			return
		}
		if err := fs.Set(f.Name, value); err != nil {
			errs = append(errs, fmt.Errorf("reading %s: %w", name, err))
		}
	})
	return errors.Join(errs...)
}

// EnvName returns the environment variable that sets the flag with the name.
func EnvName(name string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// flagSet returns the flags that fill o, each with its default.
func (o *Options) flagSet(output io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("temporal-server start", flag.ContinueOnError)
	fs.SetOutput(output)
	fs.String(configFlag, "", "YAML `file` with settings, named like these flags; flags and environment win over it")
	fs.StringVar(&o.Listen, "listen", "127.0.0.1:7233", "`address` (host:port) of the frontend; port 0 chooses a free one")
	fs.StringVar(&o.MetricsListen, "metrics-listen", "", "`address` (host:port) of the Prometheus endpoint /metrics; empty: none")
	fs.Var((*nameList)(&o.Services), "services", "`names` of the services this process runs, with commas between them: frontend, internal-frontend, history, matching, worker; empty: all")
	fs.Var((*nameList)(&o.Hosts), "hosts", "where the services of a cluster of several processes are, as `service=ip:port` with commas between them; the same in each of them, all but frontend")
	fs.StringVar(&o.Internal, "internal-certificate", "", "PEM `file` with the certificate and key that the processes of a cluster share; temporal-server certificate makes it")
	fs.StringVar((*string)(&o.Store), "store", string(StoreSQLite), "where state is kept: `sqlite` (in memory, gone at exit) or postgres")
	fs.StringVar(&o.DatabaseURL, "database-url", "", "postgres:// `URL` of a database of the server to use; its role creates the two databases when they are absent")
	fs.StringVar(&o.Database, "database", "temporal", "`name` of the main database")
	fs.StringVar(&o.VisibilityDatabase, "visibility-database", "temporal_visibility", "`name` of the visibility database")
	fs.IntVar(&o.DatabaseConnections, "database-connections", 10, "maximum number of connections of each of the five services to the main database, and half as many to visibility")
	fs.IntVar(&o.HistoryShards, "history-shards", defaultHistoryShards, "history shards of a new postgres store; fixed for ever at its first start")
	fs.IntVar(&o.TaskQueuePartitions, "task-queue-partitions", defaultTaskQueuePartitions, "partitions of each task queue: 1 unless one queue has some hundred tasks a second. Fewer than before strand tasks that wait in the others")
	fs.StringVar(&o.JWKSURL, "jwks-url", "", "`URL` of the JSON Web Key Set that token signatures are checked with")
	fs.DurationVar(&o.JWKSRefresh, "jwks-refresh", 10*time.Second, "time between two reads of the key set")
	fs.StringVar(&o.RevocationsURL, "revocations-url", siblingURL, "`URL` of the list of revoked tokens and certificates; "+siblingURL+": beside the key set, when its URL ends in /jwks.json; empty: none")
	fs.DurationVar(&o.RevocationsRefresh, "revocations-refresh", 10*time.Second, "time between two reads of that list")
	fs.DurationVar(&o.PublishedMaxAge, "published-max-age", 15*time.Minute, "how long keys and revocations that cannot be read again are trusted; engines are refused after that")
	fs.BoolVar(&o.AllowPlainHTTP, "allow-plain-http", false, "read keys and revocations over http from other machines: only on a network where no one can change them on the way")
	fs.Var((*nameList)(&o.EngineMethods), "engine-methods", "`names` of workflow service methods, with commas between them, that engines may call besides what workers need")
	fs.Var((*nameList)(&o.NexusEndpoints), "engine-nexus-endpoints", "`names` of Nexus endpoints, with commas between them, that the workflows of engines may call")
	fs.BoolVar(&o.CheckCommands, "check-commands", true, "refuse workflow commands that name a task queue unknown to the token's tenant, or a workflow on a queue that the caller does not serve")
	fs.StringVar(&o.Issuer, "issuer", "procession", "the `iss` claim every token must carry")
	fs.StringVar(&o.TLSCert, "tls-cert", "", "PEM `file` with the frontend's certificate chain")
	fs.StringVar(&o.TLSKey, "tls-key", "", "PEM `file` with the frontend's private key")
	fs.StringVar(&o.ClientCA, "client-ca", "", "PEM `file` with the CA certificates client certificates are checked with")
	fs.DurationVar(&o.TLSRefresh, "tls-refresh", 10*time.Second, "time between two looks at the three TLS files")
	fs.StringVar(&o.LogLevel, "log-level", "error", "`level` of Temporal's own log: debug, info, warn or error; refused calls are always logged")
	return fs
}

func (o *Options) validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		fail("--listen must be host:port: %w", err)
	}
	if o.MetricsListen != "" {
		if _, _, err := net.SplitHostPort(o.MetricsListen); err != nil {
			fail("--metrics-listen must be host:port: %w", err)
		}
	}
	for _, err := range o.checkServices() {
		fail("%w", err)
	}
	switch o.Store {
	case StoreSQLite:
		if o.DatabaseURL != "" {
			fail("--database-url needs --store postgres")
		}
	case StorePostgres:
		// The parse error quotes the URL, and with it the password: it is left out.
		if u, err := url.Parse(o.DatabaseURL); err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
			fail("--database-url must be a postgres:// URL")
		}
	default:
		fail("--store must be sqlite or postgres, not %q", o.Store)
	}
	for _, f := range []struct{ name, value string }{
		{"jwks-url", o.JWKSURL},
		{"issuer", o.Issuer},
		{"tls-cert", o.TLSCert},
		{"tls-key", o.TLSKey},
		{"client-ca", o.ClientCA},
		{"database", o.Database},
		{"visibility-database", o.VisibilityDatabase},
	} {
		if f.value == "" {
			fail("--%s is required", f.name)
		}
	}
	for _, f := range []struct{ name, value string }{{"jwks-url", o.JWKSURL}, {"revocations-url", o.RevocationsURL}} {
		if f.value == "" {
			continue
		}
		if err := access.CheckPublishedURL(f.value, o.AllowPlainHTTP); err != nil {
			fail("--%s %w", f.name, err)
		}
	}
	if o.Database == o.VisibilityDatabase {
		fail("--database and --visibility-database must differ")
	}
	if o.JWKSRefresh <= 0 || o.RevocationsRefresh <= 0 || o.TLSRefresh <= 0 {
		fail("--jwks-refresh, --revocations-refresh and --tls-refresh must be positive")
	}
	if o.PublishedMaxAge < o.JWKSRefresh || o.PublishedMaxAge < o.RevocationsRefresh {
		fail("--published-max-age must not be shorter than --jwks-refresh and --revocations-refresh")
	}
	if o.DatabaseConnections < 2 {
		fail("--database-connections must be at least 2")
	}
	if o.HistoryShards < 1 || o.HistoryShards > 16384 {
		fail("--history-shards must be 1 to 16384")
	}
	if o.TaskQueuePartitions < 1 || o.TaskQueuePartitions > 100 {
		fail("--task-queue-partitions must be 1 to 100")
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, o.LogLevel) {
		fail("--log-level must be debug, info, warn or error, not %q", o.LogLevel)
	}
	return errors.Join(errs...)
}
