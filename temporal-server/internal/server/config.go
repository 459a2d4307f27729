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

// openSearchFlush is the time for which changes of visibility are collected before they are written to OpenSearch.
const openSearchFlush = 200 * time.Millisecond

// layout contains the addresses of the services.
type layout struct {
	config map[string]config.Service
	// hosts are the members of a single process; several processes find each other.
	hosts   map[primitives.ServiceName]static.Hosts
	address string // the frontend's address for callers; without a frontend the first service's
	// advertise is the IP address of this process in the records of members.
	advertise string
}

// placeServices reserves an address for every listener of this process. In a single process all but the
// frontend's are free ports of the loopback address; several processes use the advertised address and
// the ports in the options.
func placeServices(ctx context.Context, opts options.Options, reserved *reservations) (layout, error) {
	l := layout{config: map[string]config.Service{}, hosts: map[primitives.ServiceName]static.Hosts{}, advertise: "127.0.0.1"}
	if opts.Split() {
		l.advertise = opts.Advertise
	}
	for _, service := range options.Services() {
		rpc := config.RPC{BindOnIP: l.advertise}
		if opts.Split() {
			rpc.GRPCPort, rpc.MembershipPort = opts.Port(service), opts.MembershipPort(service)
			watchConnections(&rpc)
		}
		if opts.Runs(service) {
			if err := placeService(ctx, opts, service, &rpc, reserved); err != nil {
				return layout{}, err
			}
			address := net.JoinHostPort(reachableIP(rpc.BindOnIP), strconv.Itoa(rpc.GRPCPort))
			l.hosts[service] = static.SingleLocalHost(address)
			if l.address == "" {
				l.address = address
			}
		}
		l.config[string(service)] = config.Service{RPC: rpc}
	}
	return l, nil
}

// placeService reserves the addresses of a service of this process, and completes rpc with them.
func placeService(
	ctx context.Context, opts options.Options, service primitives.ServiceName, rpc *config.RPC, reserved *reservations,
) error {
	flag, address := "ports", net.JoinHostPort(rpc.BindOnIP, strconv.Itoa(rpc.GRPCPort))
	if service == primitives.FrontendService {
		flag, address = "listen", opts.Listen
	}
	ip, port, err := reserved.reserveAddress(ctx, flag, address)
	if err != nil {
		return err
	}
	if opts.Split() && !ip.IsUnspecified() && !ip.Equal(net.ParseIP(opts.Advertise)) {
		return fmt.Errorf("--listen %s: the other processes reach the frontend at %s: listen there, or on every address", opts.Listen, opts.Advertise)
	}
	rpc.BindOnIP, rpc.GRPCPort = ip.String(), port
	if opts.Split() {
		_, _, err = reserved.reserveAddress(ctx, "ports", net.JoinHostPort(rpc.BindOnIP, strconv.Itoa(rpc.MembershipPort)))
	}
	return err
}

// frontendAddress returns the address in the record of this cluster. Every process writes the record at its start, so they have to agree.
func (l layout) frontendAddress() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.config[string(primitives.FrontendService)].RPC.GRPCPort))
}

// reachableIP returns an address at which a listener of this machine answers.
func reachableIP(bound string) string {
	if net.ParseIP(bound).IsUnspecified() {
		return "127.0.0.1"
	}
	return bound
}

func temporalConfig(opts options.Options, l layout, persistence config.Persistence) *config.Config {
	cfg := &config.Config{
		Persistence: persistence,
		Services:    l.config,
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: options.ClusterNumbers,
			MasterClusterName:        opts.ClusterName,
			CurrentClusterName:       opts.ClusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				opts.ClusterName: {Enabled: true, InitialFailoverVersion: int64(opts.ClusterNumber), RPCAddress: l.frontendAddress()},
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
	cfg.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: l.advertise}
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
	if len(opts.SystemWorkers) > 0 {
		settings[dynamicconfig.WorkerPerNamespaceWorkerCount.Key()] = systemWorkers(opts.SystemWorkers)
	}
	// Members of a cluster find each other with the certificate of their calls.
	settings[dynamicconfig.EnableRingpopTLS.Key()] = true
	settings[dynamicconfig.EnableInternodeClientKeepAlive.Key()] = opts.Split()
	settings[dynamicconfig.EnableInternodeServerKeepAlive.Key()] = opts.Split()
	if opts.TaskQueuePartitions > 0 {
		settings[dynamicconfig.MatchingNumTaskqueueReadPartitions.Key()] = opts.TaskQueuePartitions
		settings[dynamicconfig.MatchingNumTaskqueueWritePartitions.Key()] = opts.TaskQueuePartitions
	}
	if opts.Visibility == options.StoreOpenSearch {
		// The service follows the lists of ends, which show a change after this time and the refresh of the index.
		settings[dynamicconfig.WorkerESProcessorFlushInterval.Key()] = openSearchFlush
	}
	if opts.Store == options.StoreSQLite {
		// Both add queries, which are cheap on a database in memory, and tests do not wait for a cache.
		settings[dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key()] = true
		settings[dynamicconfig.NamespaceCacheRefreshInterval.Key()] = 200 * time.Millisecond
	}
	return settings
}
