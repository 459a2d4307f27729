package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/primitives"

	"github.com/procession-dev/procession/temporal-server/access"
	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// clusterName is the name of this cluster in Temporal's records.
const clusterName = "active"

// layout contains the address of each service.
type layout struct {
	config  map[string]config.Service
	hosts   map[primitives.ServiceName]static.Hosts
	address string // the frontend's address for callers; without a frontend the first service's
}

// placeServices reserves an address for every listener. In a single process all but the
// frontend's are loopback addresses; several processes use the addresses in the
// options.
func placeServices(ctx context.Context, opts options.Options, reserved *reservations) (layout, error) {
	l := layout{config: map[string]config.Service{}, hosts: map[primitives.ServiceName]static.Hosts{}}
	for _, service := range options.Services() {
		ip, port, err := placeService(ctx, opts, service, reserved)
		if err != nil {
			return layout{}, err
		}
		l.config[string(service)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: ip.String()}}
		reach := ip
		if ip.IsUnspecified() {
			reach = net.IPv4(127, 0, 0, 1)
		}
		address := net.JoinHostPort(reach.String(), strconv.Itoa(port))
		if !opts.Runs(service) {
			l.hosts[service] = static.Hosts{All: []string{address}}
			continue
		}
		l.hosts[service] = static.SingleLocalHost(address)
		if l.address == "" {
			l.address = address
		}
	}
	return l, nil
}

// placeService returns the address of a service, and reserves it if the service runs in this process.
func placeService(
	ctx context.Context, opts options.Options, service primitives.ServiceName, reserved *reservations,
) (net.IP, int, error) {
	switch {
	case !opts.Runs(service):
		return parseAddress(ctx, opts.Host(service))
	case service == primitives.FrontendService:
		return reserved.reserveAddress(ctx, "listen", opts.Listen)
	case opts.Split():
		return reserved.reserveAddress(ctx, "hosts", opts.Host(service))
	}
	ip := net.IPv4(127, 0, 0, 1)
	port, err := reserved.reserveFree(ctx, ip)
	return ip, port, err
}

func temporalConfig(l layout, persistence config.Persistence) *config.Config {
	cfg := &config.Config{
		Persistence: persistence,
		Services:    l.config,
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: l.hosts[primitives.FrontendService].All[0]},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}
	cfg.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"}
	return cfg
}

// openMetrics starts the Prometheus endpoint if opts have one. It starts before anything is recorded, so that the access rules and
// Temporal share it.
func openMetrics(ctx context.Context, opts options.Options, logger log.Logger) (metrics.Handler, error) {
	if opts.MetricsListen == "" {
		return metrics.NoopMetricsHandler, nil
	}
	var reserved reservations
	ip, port, err := reserved.reserveAddress(ctx, "metrics-listen", opts.MetricsListen)
	if err := errors.Join(err, reserved.releaseAll()); err != nil {
		return nil, err
	}
	handler, err := metrics.MetricsHandlerFromConfig(logger, &metrics.Config{Prometheus: &metrics.PrometheusConfig{
		ListenAddress: net.JoinHostPort(ip.String(), strconv.Itoa(port)), HandlerPath: "/metrics",
	}})
	if err != nil {
		return nil, fmt.Errorf("starting the metrics: %w", err)
	}
	return handler, nil
}

// dynamicConfig returns the settings of the access rules and of this server.
func dynamicConfig(opts options.Options) dynamicconfig.StaticClient {
	settings := access.DynamicConfig()
	// The service lists closed workflows several times a second in each namespace; the default of 10 is meant for people.
	settings[dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key()] = 50
	// The service opens an incident for a workflow with this number of failed workflow tasks in a row.
	settings[dynamicconfig.NumConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute.Key()] = 2
	if opts.TaskQueuePartitions > 0 {
		settings[dynamicconfig.MatchingNumTaskqueueReadPartitions.Key()] = opts.TaskQueuePartitions
		settings[dynamicconfig.MatchingNumTaskqueueWritePartitions.Key()] = opts.TaskQueuePartitions
	}
	if opts.Store == options.StoreSQLite {
		// Both add queries, which are cheap on a database in memory, and tests do not wait for a cache.
		settings[dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key()] = true
		settings[dynamicconfig.NamespaceCacheRefreshInterval.Key()] = 200 * time.Millisecond
	}
	return settings
}
