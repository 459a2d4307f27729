package server

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/server/client"
	"go.temporal.io/server/common"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/testing/testhooks"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
)

// reconnectPause is the time between two attempts to reach a host. Temporal's own grows to ten seconds, for which the workflows and task
// queues of a host that is back would wait.
const reconnectPause = time.Second

// clientFactories creates Temporal's clients of the other services, with connections that soon reach a host that is back.
type clientFactories struct{}

var _ client.FactoryProvider = clientFactories{}

// NewFactory implements client.FactoryProvider.
func (clientFactories) NewFactory(
	rpc common.RPCFactory, monitor membership.Monitor, meters metrics.Handler, settings *dynamicconfig.Collection, hooks testhooks.TestHooks,
	shards int32, logger, throttled log.Logger,
) client.Factory {
	return client.NewFactoryProvider().NewFactory(&reconnector{RPCFactory: rpc}, monitor, meters, settings, hooks, shards, logger, throttled)
}

// reconnector watches the connections that Temporal creates. Temporal closes a connection a minute after its host has left the cluster.
type reconnector struct {
	common.RPCFactory
	watched sync.Map
}

// CreateHistoryGRPCConnection implements common.RPCFactory.
func (r *reconnector) CreateHistoryGRPCConnection(address string) *grpc.ClientConn {
	return r.watch(r.RPCFactory.CreateHistoryGRPCConnection(address))
}

// CreateMatchingGRPCConnection implements common.RPCFactory.
func (r *reconnector) CreateMatchingGRPCConnection(address string) *grpc.ClientConn {
	return r.watch(r.RPCFactory.CreateMatchingGRPCConnection(address))
}

func (r *reconnector) watch(connection *grpc.ClientConn) *grpc.ClientConn {
	if _, known := r.watched.LoadOrStore(connection, true); !known {
		go func() {
			keepReconnecting(connection)
			r.watched.Delete(connection)
		}()
	}
	return connection
}

// keepReconnecting attempts to connect after each pause while the host is not reached, until the connection is closed.
func keepReconnecting(connection *grpc.ClientConn) {
	for {
		switch state := connection.GetState(); state {
		case connectivity.Shutdown:
			return
		case connectivity.TransientFailure:
			<-time.After(reconnectPause)
			connection.ResetConnectBackoff()
		case connectivity.Idle, connectivity.Connecting, connectivity.Ready:
			connection.WaitForStateChange(context.Background(), state)
		}
	}
}
