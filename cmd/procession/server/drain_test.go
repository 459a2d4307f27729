package server

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// drainableReplica serves a handler until the returned function has drained it.
func drainableReplica(t *testing.T, delay time.Duration) (s *Service, drain func()) {
	t.Helper()
	s = &Service{log: slog.New(slog.DiscardHandler)}
	s.clientHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	s.clients = chain.New(chain.Options{Log: s.log, Clock: time.Now})
	s.operators = s.clients
	s.config.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	s.config.Listen, s.config.ListenHealth, s.config.DrainDelay = nettest.FreeAddress(t), "", delay
	opened, err := s.OpenListeners(t.Context())
	require.NoError(t, err)
	ctx, begin := context.WithCancel(t.Context())
	accepting, stop := s.drainAfter(ctx)
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(accepting, 10*time.Second, opened.api) }()
	drain = sync.OnceFunc(func() {
		begin()
		require.NoError(t, <-ended)
		stop()
	})
	t.Cleanup(drain)
	return s, drain
}

// Clients that keep their connections open, behind a balancer that follows readiness, notice nothing of the end of a replica.
func TestDrainingFailsNoRequestOfKeepAliveClients(t *testing.T) {
	t.Parallel()
	const clients, enough = 20, 2000
	leaving, drain := drainableReplica(t, time.Second)
	staying, _ := drainableReplica(t, 0)
	var answered, failed, stayed atomic.Int64
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: clients,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			address := leaving.config.Listen
			if leaving.draining.Load() {
				address = staying.config.Listen
				stayed.Add(1)
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				// The transport repeats no POST that the server may have received.
				answer, err := client.Post("http://balancer.example/", "text/plain", strings.NewReader("x"))
				if err != nil {
					failed.Add(1)
					continue
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				answered.Add(1)
				<-tick.C
			}
		})
	}
	require.Eventually(t, func() bool { return answered.Load() > enough }, 30*time.Second, 10*time.Millisecond)
	drain()
	before := answered.Load()
	require.Eventually(t, func() bool { return answered.Load() > before+enough }, 30*time.Second, 10*time.Millisecond)
	cancel()
	group.Wait()
	require.Zero(t, failed.Load(), "of %d requests", answered.Load())
	require.LessOrEqual(t, stayed.Load(), int64(2*clients), "connections to the other replica stay open")
}

func TestConnectionsAreClosedWhileDraining(t *testing.T) {
	t.Parallel()
	certificate, key := writePair(t, t.TempDir(), 1)
	s := serveListeners(t, func(c *config.Config) {
		c.ListenTLS, c.ListenAdministration, c.TLSCert, c.TLSKey = nettest.FreeAddress(t), nettest.FreeAddress(t), certificate, key
	})
	for _, url := range []string{
		"http://" + s.config.Listen, "https://" + s.config.ListenTLS, "https://" + s.config.ListenAdministration, "http://" + s.config.ListenHealth,
	} {
		s.draining.Store(false)
		require.False(t, closesConnection(t, url), url)
		s.draining.Store(true)
		require.True(t, closesConnection(t, url), url)
	}
}

// closesConnection reports whether the server closes a connection of HTTP/1.1 after an answer.
func closesConnection(t *testing.T, url string) bool {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(url)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.Close
}
