package server

import (
	"context"
	"net"
	"strconv"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/primitives"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// clusterName is what Temporal calls this cluster in its own records.
const clusterName = "active"

// services are the parts of Temporal this process runs. The internal frontend serves the system's own workers, which have no token.
func services() []primitives.ServiceName {
	return []primitives.ServiceName{
		primitives.FrontendService,
		primitives.InternalFrontendService,
		primitives.HistoryService,
		primitives.MatchingService,
		primitives.WorkerService,
	}
}

// layout is where each service listens.
type layout struct {
	config  map[string]config.Service
	hosts   map[primitives.ServiceName]static.Hosts
	address string // the frontend's, as callers reach it
	metrics string // the Prometheus endpoint's; empty: none
}

// place reserves an address for every listener. Only the frontend's is for others; the rest stay on loopback.
func place(ctx context.Context, opts options.Options, reserved *reservations) (layout, error) {
	l := layout{config: map[string]config.Service{}, hosts: map[primitives.ServiceName]static.Hosts{}}
	if opts.MetricsListen != "" {
		ip, port, err := reserved.reserve(ctx, "metrics-listen", opts.MetricsListen)
		if err != nil {
			return layout{}, err
		}
		l.metrics = net.JoinHostPort(ip.String(), strconv.Itoa(port))
	}
	for _, service := range services() {
		var port int
		var err error
		ip := net.IPv4(127, 0, 0, 1)
		if service == primitives.FrontendService {
			ip, port, err = reserved.reserve(ctx, "listen", opts.Listen)
		} else {
			port, err = reserved.reserveFree(ctx, ip)
		}
		if err != nil {
			return layout{}, err
		}
		l.config[string(service)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: ip.String()}}
		reach := ip
		if ip.IsUnspecified() {
			reach = net.IPv4(127, 0, 0, 1)
		}
		address := net.JoinHostPort(reach.String(), strconv.Itoa(port))
		l.hosts[service] = static.SingleLocalHost(address)
		if service == primitives.FrontendService {
			l.address = address
		}
	}
	return l, nil
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
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: l.address},
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
	if l.metrics != "" {
		cfg.Global.Metrics = &metrics.Config{Prometheus: &metrics.PrometheusConfig{ListenAddress: l.metrics, HandlerPath: "/metrics"}}
	}
	return cfg
}

// dynamicConfig pins the settings the access rules depend on, so that a changed default of a later Temporal cannot loosen them.
func dynamicConfig(store options.Store) dynamicconfig.StaticClient {
	settings := dynamicconfig.StaticClient{
		dynamicconfig.DisableStreamingAuthorizer.Key():      false,
		dynamicconfig.EnableCrossNamespaceCommands.Key():    false,
		dynamicconfig.EnableTokenNamespaceEnforcement.Key(): true,
		// The service looks for closed workflows some times a second in every namespace; the default of 10 is for people.
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 50,
	}
	if store == options.StoreSQLite {
		// Both cost queries, which are nothing on a database in memory, and save tests the wait for a cache.
		settings[dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key()] = true
		settings[dynamicconfig.NamespaceCacheRefreshInterval.Key()] = 200 * time.Millisecond
	}
	return settings
}
