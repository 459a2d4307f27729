package server

import (
	"time"

	"go.temporal.io/server/common/config"
)

const (
	// callerSilence is the time without a sign of a caller after which a process asks for one: a task for the poll of a lost host is
	// lost until its own timeout.
	callerSilence = time.Second
	// calleeSilence is the same for a called process. The members of the cluster notice its loss after some nine seconds. gRPC permits
	// no less.
	calleeSilence = 10 * time.Second
	// signWait is the time for the sign. It leaves room for a busy machine.
	signWait = 2 * time.Second
	// leastPause is the permitted time between two signs that a caller demands.
	leastPause = 5 * time.Second
)

// watchConnections lets a service and its callers close a connection to a process that does not answer any more without
// closing it: its host is paused, or cut off. The calls in it would otherwise wait for their deadlines, which are up to a minute.
func watchConnections(rpc *config.RPC) {
	rpc.KeepAliveServerConfig = config.KeepAliveServerConfig{
		KeepAliveServerParameters: &config.KeepAliveServerParameters{Time: new(callerSilence), Timeout: new(signWait)},
		KeepAliveEnforcementPolicy: &config.KeepAliveServerEnforcementPolicy{
			MinTime: new(leastPause), PermitWithoutStream: new(true),
		},
	}
	rpc.ClientConnectionConfig = config.ClientConnectionConfig{KeepAliveClientConfig: &config.KeepAliveClientParameters{
		Time: new(calleeSilence), Timeout: new(signWait),
	}}
}
