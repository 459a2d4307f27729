package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/api/persistence/v1"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	temporalstore "go.temporal.io/server/common/persistence"
	"go.temporal.io/server/common/persistence/client"
	"go.temporal.io/server/common/persistence/serialization"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/common/searchattribute/sadefs"
	"go.temporal.io/server/common/telemetry"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// identifyCluster returns an error if the main store belongs to a cluster with another name or number: both are part of the histories. With records,
// it records them in a new store; then only one process may call it at a time.
func identifyCluster(ctx context.Context, opts options.Options, stores config.Persistence, records bool, logger log.Logger) (err error) {
	serializer := serialization.NewSerializer()
	factory := client.FactoryProvider(client.NewFactoryParams{
		DataStoreFactory: client.DataStoreFactoryProvider(client.ClusterName(opts.ClusterName), resolver.NewNoopResolver(), &stores, nil,
			logger, metrics.NoopMetricsHandler, telemetry.NoopTracerProvider, serializer),
		Cfg: &stores, ClusterName: client.ClusterName(opts.ClusterName),
		MetricsHandler: metrics.NoopMetricsHandler, Logger: logger, Serializer: serializer,
	})
	defer factory.Close()
	clusters, err := factory.NewClusterMetadataManager()
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer clusters.Close()
	found, err := clusters.ListClusterMetadata(ctx, &temporalstore.ListClusterMetadataRequest{PageSize: 100})
	if err != nil {
		return fmt.Errorf("reading the name of the cluster: %w", err)
	}
	if len(found.ClusterMetadata) > 0 {
		return compareIdentity(opts, found.ClusterMetadata)
	}
	if !records {
		return fmt.Errorf("the name of the cluster is not recorded: run %s with the same settings", schemaCommand)
	}
	visibility := stores.GetVisibilityStoreConfig()
	attributes := sadefs.GetDBIndexSearchAttributes(nil)
	if visibility.Elasticsearch != nil {
		attributes.CustomSearchAttributes[engineAttribute] = enumspb.INDEXED_VALUE_TYPE_INT
	}
	saved, err := clusters.SaveClusterMetadata(ctx, &temporalstore.SaveClusterMetadataRequest{ClusterMetadata: &persistence.ClusterMetadata{
		ClusterName: opts.ClusterName, ClusterId: uuid.NewString(),
		HistoryShardCount:        stores.NumHistoryShards,
		FailoverVersionIncrement: options.ClusterNumbers, InitialFailoverVersion: int64(opts.ClusterNumber),
		IsConnectionEnabled: true, UseClusterIdMembership: true,
		IndexSearchAttributes: map[string]*persistence.IndexSearchAttributes{visibility.GetIndexName(): attributes},
	}})
	if err == nil && !saved {
		err = errors.New("another process did")
	}
	if err != nil {
		return fmt.Errorf("recording the name of the cluster: %w", err)
	}
	return nil
}

// compareIdentity returns an error unless one of the recorded clusters has the name and number in opts. The others are remote clusters.
func compareIdentity(opts options.Options, recorded []*temporalstore.GetClusterMetadataResponse) error {
	for _, cluster := range recorded {
		if cluster.ClusterName == opts.ClusterName && cluster.InitialFailoverVersion == int64(opts.ClusterNumber) {
			return nil
		}
	}
	return fmt.Errorf("the main store belongs to the cluster %s with the number %d: --cluster-name and --cluster-number cannot change after the first start",
		recorded[0].ClusterName, recorded[0].InitialFailoverVersion)
}
