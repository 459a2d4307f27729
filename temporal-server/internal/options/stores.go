package options

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	cassandraPort = 9042
	// defaultKeyspace and defaultIndex are the names in Temporal's documentation. The templates of its index are for names with this prefix.
	defaultKeyspace = "temporal"
	defaultIndex    = "temporal_visibility_v1"
)

var (
	keyspacePattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	indexPattern      = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,127}$`)
	datacenterPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$`)
)

// StoreTLS are the PEM files of connections to a store.
type StoreTLS struct {
	CA         string // authorities of its certificates; empty: the system's
	Cert, Key  string // certificate that the store requires; empty: none
	ServerName string // name in its certificate; empty: the host of each address
}

// Cassandra are the settings of a cluster of Cassandra.
type Cassandra struct {
	Hosts             []string
	Port              int
	Keyspace          string
	User              string
	PasswordFile      string
	TLS               bool
	Files             StoreTLS
	Datacenter        string // data center with the replicas to use; empty: all
	Replication       int    // replicas of a new keyspace in each data center
	Consistency       string
	SerialConsistency string
	Connections       int // to each node
}

// OpenSearch are the settings of a cluster of OpenSearch.
type OpenSearch struct {
	URLs         []string
	Index        string
	Shards       int // of a new index
	User         string
	PasswordFile string
	Files        StoreTLS
}

// addStoreFlags adds the flags of all stores.
func (o *Options) addStoreFlags(fs *flag.FlagSet) {
	fs.StringVar((*string)(&o.Store), "store", string(StoreSQLite), "database of the server: `sqlite` (in memory, lost at exit), postgres or cassandra")
	fs.StringVar((*string)(&o.Visibility), "visibility", "", "database of the lists of workflows: `postgres` or opensearch; with --store postgres the default is postgres")
	fs.BoolVar(&o.UpdateSchema, "update-schema", true, "create and update the databases in PostgreSQL at the start; false: refuse an older schema, as for Cassandra and OpenSearch")
	fs.BoolVar(&o.AllowPlainStores, "allow-plain-stores", false, "accept Cassandra and OpenSearch of other machines without TLS: only in a network that protects their data and passwords")
	fs.StringVar(&o.DatabaseURL, "database-url", "", "postgres:// `URL` of any database of the PostgreSQL server; its role creates the two databases if they are missing")
	fs.StringVar(&o.Database, "database", "temporal", "`name` of the main database")
	fs.StringVar(&o.VisibilityDatabase, "visibility-database", "temporal_visibility", "`name` of the visibility database")
	fs.IntVar(&o.DatabaseConnections, "database-connections", 10, "maximum number of connections of each of the five services to the main database, and half as many to visibility")
	o.Cassandra.addFlags(fs)
	o.OpenSearch.addFlags(fs)
}

func (c *Cassandra) addFlags(fs *flag.FlagSet) {
	fs.Var((*nameList)(&c.Hosts), "cassandra-hosts", "comma-separated `names` or addresses of nodes of Cassandra; the others are found by them")
	fs.IntVar(&c.Port, "cassandra-port", cassandraPort, "`port` of all nodes for CQL")
	fs.StringVar(&c.Keyspace, "cassandra-keyspace", defaultKeyspace, "`name` of the keyspace")
	fs.StringVar(&c.User, "cassandra-user", "", "`role` in Cassandra; empty: none")
	fs.StringVar(&c.PasswordFile, "cassandra-password-file", "", "`file` with the password of that role, read at the start")
	fs.BoolVar(&c.TLS, "cassandra-tls", false, "connect to Cassandra by TLS")
	c.Files.addFlags(fs, "cassandra", "Cassandra's nodes")
	fs.StringVar(&c.Datacenter, "cassandra-datacenter", "", "`name` of the data center whose nodes are used, and in which schema creates the keyspace; empty: all nodes, for a cluster of one data center")
	fs.IntVar(&c.Replication, "cassandra-replication", 3, "`number` of replicas of a new keyspace")
	fs.StringVar(&c.Consistency, "cassandra-consistency", "LOCAL_QUORUM", "`level` of reads and writes")
	fs.StringVar(&c.SerialConsistency, "cassandra-serial-consistency", "LOCAL_SERIAL", "`level` of lightweight transactions: LOCAL_SERIAL or SERIAL")
	fs.IntVar(&c.Connections, "cassandra-connections", 4, "`number` of connections of each service to each node")
}

func (s *OpenSearch) addFlags(fs *flag.FlagSet) {
	fs.Var((*nameList)(&s.URLs), "opensearch-url", "comma-separated `URLs` of nodes of OpenSearch")
	fs.StringVar(&s.Index, "opensearch-index", defaultIndex, "`name` of the index")
	fs.IntVar(&s.Shards, "opensearch-shards", 1, "`number` of primary shards of a new index; some millions of workflows each")
	fs.StringVar(&s.User, "opensearch-user", "", "`user` of OpenSearch; empty: none")
	fs.StringVar(&s.PasswordFile, "opensearch-password-file", "", "`file` with the password of that user, read at the start")
	s.Files.addFlags(fs, "opensearch", "OpenSearch's nodes")
}

func (t *StoreTLS) addFlags(fs *flag.FlagSet, store, nodes string) {
	fs.StringVar(&t.CA, store+"-tls-ca", "", "PEM `file` with the authorities of the certificates of "+nodes+"; empty: those of the system")
	fs.StringVar(&t.Cert, store+"-tls-cert", "", "PEM `file` with a certificate for "+nodes)
	fs.StringVar(&t.Key, store+"-tls-key", "", "PEM `file` with its private key")
	fs.StringVar(&t.ServerName, store+"-tls-server-name", "", "`name` in the certificates of "+nodes+", if it is not the host of their addresses")
}

// Uses reports whether the server has data in a store.
func (o *Options) Uses(store Store) bool { return o.Store == store || o.Visibility == store }

// checkStores returns the errors in the settings of the stores. given are the names of the settings that were given.
func (o *Options) checkStores(given []string) (errs []error) {
	errs = append(errs, o.checkKinds())
	for _, s := range []struct {
		prefix string
		store  Store
		need   string
	}{
		{"cassandra-", StoreCassandra, "--store cassandra"},
		{"opensearch-", StoreOpenSearch, "--visibility opensearch"},
		{"database-", StorePostgres, "--store postgres or --visibility postgres"},
	} {
		for _, name := range given {
			if strings.HasPrefix(name, s.prefix) && !o.Uses(s.store) {
				errs = append(errs, fmt.Errorf("--%s needs %s", name, s.need))
			}
		}
	}
	if o.Uses(StorePostgres) {
		errs = append(errs, o.checkPostgres()...)
	}
	if o.Uses(StoreCassandra) {
		errs = append(errs, o.Cassandra.checkSettings(o.AllowPlainStores)...)
	}
	if o.Uses(StoreOpenSearch) {
		errs = append(errs, o.OpenSearch.checkSettings(o.AllowPlainStores)...)
	}
	return errs
}

// checkKinds returns an error if the two kinds of stores do not go together.
func (o *Options) checkKinds() error {
	switch {
	case !slices.Contains([]Store{StoreSQLite, StorePostgres, StoreCassandra}, o.Store):
		return fmt.Errorf("--store must be sqlite, postgres or cassandra, not %q", o.Store)
	case o.Store == StoreSQLite && o.Visibility != StoreSQLite:
		return errors.New("--visibility needs --store postgres or cassandra: lists of workflows would outlive a store in memory")
	case o.Store == StoreSQLite:
		return nil
	case o.Store == StoreCassandra && o.Visibility == "":
		return errors.New("--store cassandra needs --visibility postgres or --visibility opensearch: Cassandra cannot search lists of workflows")
	case o.Visibility != StorePostgres && o.Visibility != StoreOpenSearch:
		return fmt.Errorf("--visibility must be postgres or opensearch, not %q", o.Visibility)
	}
	return nil
}

func (o *Options) checkPostgres() (errs []error) {
	// The parse error is dropped because it quotes the URL with the password.
	if u, err := url.Parse(o.DatabaseURL); err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		errs = append(errs, errors.New("--database-url must be a postgres:// URL"))
	}
	if o.Database == "" || o.VisibilityDatabase == "" {
		errs = append(errs, errors.New("--database and --visibility-database are required"))
	}
	if o.Database == o.VisibilityDatabase {
		errs = append(errs, errors.New("--database and --visibility-database must differ"))
	}
	if o.DatabaseConnections < 2 {
		errs = append(errs, errors.New("--database-connections must be at least 2"))
	}
	return errs
}

func (c *Cassandra) checkSettings(allowPlain bool) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(c.Hosts) == 0 {
		fail("--cassandra-hosts is required with --store cassandra")
	}
	for _, host := range c.Hosts {
		if strings.ContainsAny(host, "/@ ") || strings.Count(host, ":") == 1 {
			fail("--cassandra-hosts must be names or addresses without a port, not %q", host)
		}
		if !c.TLS && !allowPlain && !isLocal(host) {
			fail("--cassandra-hosts: %s is another machine: use --cassandra-tls, or --allow-plain-stores in a protected network", host)
		}
	}
	if c.Port < 1 || c.Port > 65535 {
		fail("--cassandra-port must be 1 to 65535")
	}
	if !keyspacePattern.MatchString(c.Keyspace) {
		fail("--cassandra-keyspace must have 1 to 48 lower-case letters, digits and underscores, and begin with a letter")
	}
	if c.Datacenter != "" && !datacenterPattern.MatchString(c.Datacenter) {
		fail("--cassandra-datacenter must have letters, digits, spaces, dots, hyphens and underscores")
	}
	if c.Replication < 1 || c.Replication > 100 {
		fail("--cassandra-replication must be 1 to 100")
	}
	if c.Connections < 1 || c.Connections > 100 {
		fail("--cassandra-connections must be 1 to 100")
	}
	if !slices.Contains([]string{"LOCAL_QUORUM", "QUORUM", "ALL"}, c.Consistency) {
		fail("--cassandra-consistency must be LOCAL_QUORUM, QUORUM or ALL, not %q: with less a read may miss the write before it", c.Consistency)
	}
	if !slices.Contains([]string{"LOCAL_SERIAL", "SERIAL"}, c.SerialConsistency) {
		fail("--cassandra-serial-consistency must be LOCAL_SERIAL or SERIAL, not %q", c.SerialConsistency)
	}
	if !c.TLS && c.Files != (StoreTLS{}) {
		fail("--cassandra-tls-ca, --cassandra-tls-cert, --cassandra-tls-key and --cassandra-tls-server-name need --cassandra-tls")
	}
	return append(errs, checkCredentials("cassandra", c.User, c.PasswordFile, c.Files)...)
}

func (s *OpenSearch) checkSettings(allowPlain bool) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(s.URLs) == 0 {
		fail("--opensearch-url is required with --visibility opensearch")
	}
	secure := 0
	for _, text := range s.URLs {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.RawQuery != "" {
			// It may contain a password.
			fail("--opensearch-url must be http or https URLs without a user and password: use --opensearch-user and --opensearch-password-file")
			continue
		}
		if u.Scheme == "https" {
			secure++
		} else if !allowPlain && !isLocal(u.Hostname()) {
			fail("--opensearch-url: %s is another machine: use https, or --allow-plain-stores in a protected network", u.Hostname())
		}
	}
	if secure < len(s.URLs) && s.Files != (StoreTLS{}) {
		fail("--opensearch-tls-ca, --opensearch-tls-cert, --opensearch-tls-key and --opensearch-tls-server-name need https URLs")
	}
	if s.Shards < 1 || s.Shards > 1024 {
		fail("--opensearch-shards must be 1 to 1024")
	}
	if !indexPattern.MatchString(s.Index) {
		fail("--opensearch-index must have 1 to 128 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or digit")
	}
	return append(errs, checkCredentials("opensearch", s.User, s.PasswordFile, s.Files)...)
}

// checkCredentials returns the errors in the credentials of a store.
func checkCredentials(store, user, passwordFile string, files StoreTLS) (errs []error) {
	if (user == "") != (passwordFile == "") {
		errs = append(errs, fmt.Errorf("--%[1]s-user and --%[1]s-password-file need each other", store))
	}
	if (files.Cert == "") != (files.Key == "") {
		errs = append(errs, fmt.Errorf("--%[1]s-tls-cert and --%[1]s-tls-key need each other", store))
	}
	return errs
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
