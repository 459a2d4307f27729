// Package options reads the settings of temporal-server from its command line, its environment and a file.
package options

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/temporal-server/access"
)

// EnvPrefix is the prefix of the environment variables that set flags.
const EnvPrefix = "PROCESSION_TEMPORAL_"

const (
	configFlag = "config"

	// siblingURL stands for the list of revocations in the folder of the key set.
	siblingURL = "auto"
	// defaultHistoryShards is Temporal's recommendation for clusters that may grow.
	defaultHistoryShards = 512
	// defaultTaskQueuePartitions is Temporal's own default.
	defaultTaskQueuePartitions = 4
	// defaultClusterName is Temporal's own default.
	defaultClusterName = "active"
	// serviceNamespace is the default namespace of the service's own workflows, which has schedules.
	serviceNamespace = "procession"
)

// ClusterNumbers is the increment of failover versions: clusters that replicate have different numbers below it.
const ClusterNumbers = 100

var clusterNamePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// Store is the kind of database in which Temporal stores its state.
type Store string

// The supported stores. StoreSQLite, StorePostgres and StoreCassandra have the state of Temporal; StorePostgres and StoreOpenSearch have the
// lists of workflows, and StoreSQLite has both.
const (
	StoreSQLite     Store = "sqlite"
	StorePostgres   Store = "postgres"
	StoreCassandra  Store = "cassandra"
	StoreOpenSearch Store = "opensearch"
)

// Options are the validated settings of one server.
type Options struct {
	Listen        string // host:port of the frontend; port 0 chooses a free one
	MetricsListen string // host:port of the Prometheus endpoint; empty: none

	Services  []string // services in this process; empty: all
	Advertise string   // IP address of this process for the other processes; with Services only
	Ports     []string // ports of services on every host, as "history=7234"; with Services only
	Internal  string   // PEM file with the shared certificate and key of the cluster's processes; with Services only

	ClusterName   string // with ClusterNumber the identity of the cluster, fixed by the first start
	ClusterNumber int

	Store               Store
	Visibility          Store  // the store of the lists of workflows
	UpdateSchema        bool   // create and update the databases in PostgreSQL at the start
	DatabaseURL         string // any database of the PostgreSQL server; contains a password, never log it
	Database            string
	VisibilityDatabase  string
	DatabaseConnections int
	Cassandra           Cassandra
	OpenSearch          OpenSearch
	AllowPlainStores    bool // accept Cassandra and OpenSearch of other machines without TLS
	HistoryShards       int
	TaskQueuePartitions int // 0: Temporal's default
	// SystemWorkers are the namespaces with workers of Temporal itself; empty: all.
	SystemWorkers []string

	JWKSURL            string
	JWKSRefresh        time.Duration
	RevocationsURL     string // empty: no revocations
	RevocationsRefresh time.Duration
	PublishedMaxAge    time.Duration // maximum age of keys and revocations when reads fail
	AllowPlainHTTP     bool          // accept http URLs of other machines for both
	Issuer             string

	EngineMethods  []string // methods of the workflow service for engines, in addition to the methods of workers
	NexusEndpoints []string // Nexus endpoints for workflows of engines
	CheckCommands  bool     // restrict commands to task queues of the tenant

	TLSCert    string // PEM file of the frontend's certificate chain
	TLSKey     string // PEM file of its private key
	ClientCA   string // PEM file with the CAs of client certificates
	TLSRefresh time.Duration

	LogLevel string
}

// Parse returns the validated options from args; other flags come from lookupEnv, then from the file of --config.
// If args request help, Parse writes it to output and returns [flag.ErrHelp]. No error contains the value of --database-url.
func Parse(args []string, lookupEnv func(string) (string, bool), output io.Writer) (Options, error) {
	opts, given, err := readSettings("start", args, lookupEnv, output)
	if err != nil {
		return Options{}, err
	}
	if err := errors.Join(append(opts.checkStores(given), opts.validate())...); err != nil {
		return Options{}, err
	}
	return opts, nil
}

// ParseStores is Parse for commands that use the stores only: they accept the same settings, and require the settings of the stores.
func ParseStores(command string, args []string, lookupEnv func(string) (string, bool), output io.Writer) (Options, error) {
	opts, given, err := readSettings(command, args, lookupEnv, output)
	if err != nil {
		return Options{}, err
	}
	if err := errors.Join(append(opts.checkStores(given), opts.checkIdentity()...)...); err != nil {
		return Options{}, err
	}
	return opts, nil
}

// readSettings returns the options and the names of the settings that were given.
func readSettings(command string, args []string, lookupEnv func(string) (string, bool), output io.Writer) (Options, []string, error) {
	var opts Options
	fs := opts.flagSet(command, output)
	file, err := configFile(args, lookupEnv)
	if err != nil {
		return Options{}, nil, err
	}
	if file != "" {
		if err := setFromFile(fs, file); err != nil {
			return Options{}, nil, err
		}
	}
	if err := setFromEnv(fs, lookupEnv); err != nil {
		return Options{}, nil, err
	}
	if err := fs.Parse(args); err != nil {
		return Options{}, nil, err
	}
	if fs.NArg() > 0 {
		return Options{}, nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if opts.RevocationsURL == siblingURL {
		opts.RevocationsURL = access.SiblingRevocationsURL(opts.JWKSURL)
	}
	if opts.Visibility == "" && opts.Store != StoreCassandra {
		opts.Visibility = opts.Store
	}
	var given []string
	fs.Visit(func(f *flag.Flag) {
		if f.Value.String() != f.DefValue {
			given = append(given, f.Name)
		}
	})
	return opts, given, nil
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

// flagSet returns the flags that set o, with their defaults.
func (o *Options) flagSet(command string, output io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("temporal-server "+command, flag.ContinueOnError)
	fs.SetOutput(output)
	fs.String(configFlag, "", "YAML `file` with settings, named like these flags; flags and environment override it")
	fs.StringVar(&o.Listen, "listen", "127.0.0.1:7233", "`address` (host:port) of the frontend; port 0 chooses a free one")
	fs.StringVar(&o.MetricsListen, "metrics-listen", "", "`address` (host:port) of the Prometheus endpoint /metrics; empty: none")
	fs.Var((*nameList)(&o.Services), "services", "comma-separated `names` of the services in this process: frontend, internal-frontend, history, matching, worker; empty: all")
	fs.StringVar(&o.Advertise, "advertise", "", "`IP` address at which the other processes of the cluster reach this one; required with --services")
	fs.Var((*nameList)(&o.Ports), "ports", "comma-separated ports of services other than frontend, as `service=port`, if not Temporal's own; the same in each process. Membership uses the ports 300 lower")
	fs.Func("hosts", "not supported: processes find each other by --advertise `IP` and --ports", func(string) error {
		return errors.New("processes find each other: give each one --advertise IP, and --ports if they differ from Temporal's own")
	})
	fs.StringVar(&o.Internal, "internal-certificate", "", "PEM `file` with the certificate and key that the processes of a cluster share; temporal-server certificate writes it")
	fs.StringVar(&o.ClusterName, "cluster-name", defaultClusterName, "`name` of the cluster, fixed at its first start; different in clusters that may replicate")
	fs.IntVar(&o.ClusterNumber, "cluster-number", 1, "`number` of the cluster from 1 to 99, fixed at its first start; different in clusters that may replicate")
	o.addStoreFlags(fs)
	fs.IntVar(&o.HistoryShards, "history-shards", defaultHistoryShards, "history shards of a new store in PostgreSQL or Cassandra; fixed at its first start")
	fs.IntVar(&o.TaskQueuePartitions, "task-queue-partitions", defaultTaskQueuePartitions, "partitions of each task queue: 1 suits up to some hundred tasks a second. A lower number loses tasks in removed partitions")
	o.SystemWorkers = []string{serviceNamespace}
	fs.Var((*nameList)(&o.SystemWorkers), "system-workers", "comma-separated `namespaces` with workers of Temporal itself, for schedules, batches and worker deployments; empty: all")
	fs.StringVar(&o.JWKSURL, "jwks-url", "", "`URL` of the JSON Web Key Set that verifies tokens")
	fs.DurationVar(&o.JWKSRefresh, "jwks-refresh", 10*time.Second, "time between two reads of the key set")
	fs.StringVar(&o.RevocationsURL, "revocations-url", siblingURL, "`URL` of the list of revoked tokens and certificates; "+siblingURL+": in the folder of the key set if its URL ends in /jwks.json; empty: none")
	fs.DurationVar(&o.RevocationsRefresh, "revocations-refresh", 10*time.Second, "time between two reads of that list")
	fs.DurationVar(&o.PublishedMaxAge, "published-max-age", 15*time.Minute, "maximum age of keys and revocations when reads fail; older ones refuse all engines")
	fs.BoolVar(&o.AllowPlainHTTP, "allow-plain-http", false, "accept http URLs of other machines for keys and revocations: only in a network that protects their integrity")
	fs.Var((*nameList)(&o.EngineMethods), "engine-methods", "comma-separated `names` of workflow service methods that engines may call in addition to the methods of workers")
	fs.Var((*nameList)(&o.NexusEndpoints), "engine-nexus-endpoints", "comma-separated `names` of Nexus endpoints for workflows of engines")
	fs.BoolVar(&o.CheckCommands, "check-commands", true, "refuse workflow commands that name a task queue unknown to the token's tenant, or a workflow on a queue that the caller does not serve")
	fs.StringVar(&o.Issuer, "issuer", "procession", "the required `iss` claim of tokens")
	fs.StringVar(&o.TLSCert, "tls-cert", "", "PEM `file` with the frontend's certificate chain")
	fs.StringVar(&o.TLSKey, "tls-key", "", "PEM `file` with the frontend's private key")
	fs.StringVar(&o.ClientCA, "client-ca", "", "PEM `file` with the CAs of client certificates")
	fs.DurationVar(&o.TLSRefresh, "tls-refresh", 10*time.Second, "time between two reads of the three TLS files")
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
	for _, f := range []struct{ name, value string }{
		{"jwks-url", o.JWKSURL},
		{"issuer", o.Issuer},
		{"tls-cert", o.TLSCert},
		{"tls-key", o.TLSKey},
		{"client-ca", o.ClientCA},
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
	for _, err := range o.checkIdentity() {
		fail("%w", err)
	}
	if o.JWKSRefresh <= 0 || o.RevocationsRefresh <= 0 || o.TLSRefresh <= 0 {
		fail("--jwks-refresh, --revocations-refresh and --tls-refresh must be positive")
	}
	if o.PublishedMaxAge < o.JWKSRefresh || o.PublishedMaxAge < o.RevocationsRefresh {
		fail("--published-max-age must not be shorter than --jwks-refresh and --revocations-refresh")
	}
	if o.TaskQueuePartitions < 1 || o.TaskQueuePartitions > 100 {
		fail("--task-queue-partitions must be 1 to 100")
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, o.LogLevel) {
		fail("--log-level must be debug, info, warn or error, not %q", o.LogLevel)
	}
	return errors.Join(errs...)
}

// checkIdentity returns the errors in settings that the first use of a store fixes.
func (o *Options) checkIdentity() (errs []error) {
	if !clusterNamePattern.MatchString(o.ClusterName) {
		errs = append(errs, errors.New("--cluster-name must have 1 to 63 letters, digits, dots, hyphens and underscores, and begin with a letter or digit"))
	}
	if o.ClusterNumber < 1 || o.ClusterNumber >= ClusterNumbers {
		errs = append(errs, fmt.Errorf("--cluster-number must be 1 to %d", ClusterNumbers-1))
	}
	if o.HistoryShards < 1 || o.HistoryShards > 16384 {
		errs = append(errs, errors.New("--history-shards must be 1 to 16384"))
	}
	return errs
}
