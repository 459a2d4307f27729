package store

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"go.temporal.io/server/common/auth"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	esclient "go.temporal.io/server/common/persistence/visibility/store/elasticsearch/client"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// elasticsearchVersion is the version of Elasticsearch with the API of OpenSearch.
const elasticsearchVersion = "v7"

// stores are the databases of a server.
type stores struct {
	opts   options.Options
	logger log.Logger

	base        *url.URL // of PostgreSQL
	persistence config.Persistence
}

// configure reads the passwords and sets the configuration of the stores for Temporal.
func (s *stores) configure() error {
	var err error
	if s.base, err = url.Parse(s.opts.DatabaseURL); err != nil {
		return errors.New("the database URL is malformed") // the parse error would quote the password
	}
	main, err := s.mainConfig()
	if err != nil {
		return err
	}
	visibility, err := s.visibilityConfig()
	if err != nil {
		return err
	}
	s.persistence = config.Persistence{
		DefaultStore:     mainStore,
		VisibilityStore:  visibilityStore,
		NumHistoryShards: int32(s.opts.HistoryShards), //nolint:gosec // options allow at most 16384
		DataStores:       map[string]config.DataStore{mainStore: main, visibilityStore: visibility},
	}
	return nil
}

func (s *stores) mainConfig() (config.DataStore, error) {
	if s.opts.Store == options.StorePostgres {
		return config.DataStore{SQL: sqlConfig(s.base, s.opts.Database, s.opts.DatabaseConnections)}, nil
	}
	c := s.opts.Cassandra
	password, err := readPassword("cassandra", c.PasswordFile)
	if err != nil {
		return config.DataStore{}, err
	}
	cfg := &config.Cassandra{
		Hosts: strings.Join(c.Hosts, ","), Port: c.Port, Keyspace: c.Keyspace, User: c.User, Password: password,
		Datacenter: c.Datacenter, MaxConns: c.Connections,
		Consistency: &config.CassandraStoreConsistency{
			Default: &config.CassandraConsistencySettings{Consistency: c.Consistency, SerialConsistency: c.SerialConsistency},
		},
	}
	if c.TLS {
		cfg.TLS = tlsConfig(c.Files)
	}
	return config.DataStore{Cassandra: cfg}, nil
}

func (s *stores) visibilityConfig() (config.DataStore, error) {
	if s.opts.Visibility == options.StorePostgres {
		return config.DataStore{SQL: sqlConfig(s.base, s.opts.VisibilityDatabase, max(2, s.opts.DatabaseConnections/2))}, nil
	}
	o := s.opts.OpenSearch
	password, err := readPassword("opensearch", o.PasswordFile)
	if err != nil {
		return config.DataStore{}, err
	}
	cfg := &esclient.Config{
		Version: elasticsearchVersion, Username: o.User, Password: password,
		Indices: map[string]string{esclient.VisibilityAppName: o.Index},
	}
	for _, text := range o.URLs {
		node, err := url.Parse(text)
		if err != nil {
			return config.DataStore{}, errors.New("--opensearch-url is malformed") // the parse error would quote it
		}
		cfg.URLs = append(cfg.URLs, *node)
	}
	cfg.URL = cfg.URLs[0]
	if cfg.URL.Scheme == "https" {
		cfg.TLS = tlsConfig(o.Files)
	}
	return config.DataStore{Elasticsearch: cfg}, nil
}

func tlsConfig(files options.StoreTLS) *auth.TLS {
	return &auth.TLS{
		Enabled: true, EnableHostVerification: true, ServerName: files.ServerName,
		CaFile: files.CA, CertFile: files.Cert, KeyFile: files.Key,
	}
}

// readPassword returns the password in a file, without the line break at its end; empty if there is no file.
func readPassword(store, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	content, err := os.ReadFile(file) //nolint:gosec // the operator's own file
	if err != nil {
		return "", fmt.Errorf("reading --%s-password-file: %w", store, err)
	}
	password := strings.TrimRight(string(content), "\r\n")
	if password == "" {
		return "", fmt.Errorf("--%s-password-file %s is empty", store, file)
	}
	return password, nil
}
