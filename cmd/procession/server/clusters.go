package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

// withClusters returns the issuer with the credentials of workers in the configured clusters.
func withClusters(issuer *authn.Issuer, c config.Config) *authn.Issuer {
	clusters := c.Clusters()
	additional := map[string]authn.Cluster{}
	for _, cluster := range clusters[1:] {
		additional[cluster.Name] = cluster.Workers()
	}
	return issuer.WithClusters(clusters[0].Workers(), additional)
}

// engineAddresses returns the addresses of the clusters by name.
func engineAddresses(c config.Config) map[string]string {
	addresses := map[string]string{}
	for _, cluster := range c.Clusters() {
		addresses[cluster.Name] = cluster.Address
	}
	return addresses
}

// cloudAccounts returns the suffixes of the namespaces of clusters in Temporal Cloud by the names of the clusters.
func cloudAccounts(c config.Config) map[string]string {
	accounts := map[string]string{}
	for _, cluster := range c.Clusters() {
		if cluster.InCloud() {
			accounts[cluster.Name] = cluster.Cloud.Account
		}
	}
	return accounts
}

// EngineOptions returns the options of the connections to the configured clusters.
func EngineOptions(issuer *authn.Issuer, c config.Config, db *persistence.DB, log *slog.Logger) (engine.Options, error) {
	o := engine.Options{
		Address: c.TemporalAddress, Namespace: c.TemporalNamespace, Retention: c.TemporalRetention, Logger: log,
		Clusters: map[string]engine.Cluster{}, ClusterOf: newClusterLookup(db, c.TemporalNamespace),
	}
	for _, cluster := range c.Clusters() {
		credentials, err := EngineCredentials(issuer, cluster, log)
		if err != nil && cluster.Name != "" {
			return o, fmt.Errorf("cluster %s: %w", cluster.Name, err)
		}
		if err != nil {
			return o, err
		}
		if cluster.Name == "" {
			o.Credentials = credentials
		} else {
			o.Clusters[cluster.Name] = engine.Cluster{Address: cluster.Address, Credentials: credentials}
		}
	}
	return o, nil
}

// newClusterLookup returns a function that finds the cluster of a namespace. It remembers the clusters, which never change.
func newClusterLookup(db *persistence.DB, own string) func(context.Context, string) (string, error) {
	var remembered sync.Map
	remembered.Store(own, "")
	reader := db.Background().Reader()
	return func(ctx context.Context, namespace string) (string, error) {
		if found, ok := remembered.Load(namespace); ok {
			cluster, _ := found.(string)
			return cluster, nil
		}
		cluster, err := reader.ClusterOfNamespace(ctx, namespace)
		if domain.HasCode(err, domain.CodeNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		remembered.Store(namespace, cluster)
		return cluster, nil
	}
}
