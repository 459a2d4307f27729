package webhook_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/webhook"
)

func TestSendWithoutConnection(t *testing.T) {
	t.Parallel()
	// The port of a client is taken, so that no other program begins to listen on it.
	conn, err := net.Dial("tcp", strings.TrimPrefix(receiver(t, nil), "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	for name, example := range map[string]struct{ address, detail string }{
		"no listener":   {"http://" + conn.LocalAddr().String(), "the receiver refused the connection"},
		"closes":        {"http://" + talker(t, ""), "the receiver closed the connection without an answer"},
		"closes in TLS": {"https://" + talker(t, ""), "the receiver closed the connection without an answer"},
		"no HTTP":       {"http://" + talker(t, "220 mail.example.test ESMTP\r\n"), "there was no answer that could be read"},
		"a long head": {
			"http://" + talker(t, "HTTP/1.1 200 OK\r\nA: "+strings.Repeat("a", 1<<20)+"\r\n\r\n"),
			"there was no answer that could be read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := send(t, example.address+"/?token=hidden")
			require.Equal(t, webhook.FailureConnection, result.Failure, "%+v", result)
			require.Equal(t, example.detail, result.Detail)
		})
	}
}

// talker returns a server that reads a request, writes bytes and closes the
// connection.
func talker(t *testing.T, line string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, line)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

func TestSendWantsTLS(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	serve := func(config *tls.Config) *httptest.Server {
		server := httptest.NewUnstartedServer(hello)
		server.TLS = config
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		return server
	}
	good := serve(nil)
	old := serve(&tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	picky := serve(&tls.Config{ClientAuth: tls.RequireAnyClientCert})
	plain := receiver(t, hello)
	roots := x509.NewCertPool()
	roots.AddCert(good.Certificate())

	trusting := webhook.ClientConfig{Guard: localGuard(t), RootCAs: roots}
	result, err := newClient(t, trusting).Send(t.Context(), deliveryTo(t, good.URL))
	require.NoError(t, err)
	require.True(t, result.Delivered(), "%+v", result)

	atHome := func(_ string, ipv6 bool) ([]netip.Addr, bool) {
		return only(netip.MustParseAddr("127.0.0.1"), !ipv6), true
	}
	names, err := webhook.NewGuard(webhook.Policy{Allow: []string{"other.test"}}, newResolver(t, atHome))
	require.NoError(t, err)
	const alerted = "the receiver ended TLS: it may want another version, or a certificate"
	late := func() time.Time { return good.Certificate().NotAfter.Add(time.Hour) }
	for name, example := range map[string]struct {
		config  webhook.ClientConfig
		address string
		detail  string
	}{
		"an unknown authority": {
			webhook.ClientConfig{Guard: localGuard(t), Clock: time.Now},
			good.URL,
			"the certificate of the receiver comes from an unknown authority",
		},
		"another name": {
			webhook.ClientConfig{Guard: names, RootCAs: roots, Clock: time.Now},
			strings.Replace(good.URL, "127.0.0.1", "other.test", 1),
			"the certificate of the receiver is for another name",
		},
		"expired": {
			webhook.ClientConfig{Guard: localGuard(t), RootCAs: roots, Clock: late},
			good.URL,
			"the certificate of the receiver has expired or is not valid yet",
		},
		"TLS 1.1": {
			webhook.ClientConfig{Guard: localGuard(t), RootCAs: roots, Clock: time.Now},
			old.URL,
			alerted,
		},
		"no TLS": {
			webhook.ClientConfig{Guard: localGuard(t), RootCAs: roots, Clock: time.Now},
			strings.Replace(plain, "http:", "https:", 1), "the receiver does not speak TLS",
		},
		"a certificate of ours wanted": {
			webhook.ClientConfig{Guard: localGuard(t), RootCAs: roots, Clock: time.Now},
			picky.URL,
			alerted,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := webhook.NewClient(example.config)
			t.Cleanup(client.Close)
			result, err := client.Send(t.Context(), deliveryTo(t, example.address))
			require.NoError(t, err)
			require.Equal(t, webhook.FailureTLS, result.Failure, "%+v", result)
			require.Equal(t, example.detail, result.Detail)
		})
	}
}

// Connections are kept, and one that the receiver closed is replaced.
func TestSendKeepsConnections(t *testing.T) {
	t.Parallel()
	var opened, requests atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, "taken")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newClient(t, webhook.ClientConfig{Guard: localGuard(t)})
	delivered := func() {
		result, err := client.Send(t.Context(), deliveryTo(t, server.URL))
		require.NoError(t, err)
		require.True(t, result.Delivered(), "%+v", result)
	}
	for range 20 {
		delivered()
	}
	require.Equal(t, int64(1), opened.Load())
	for range 20 {
		server.CloseClientConnections()
		delivered()
	}
	require.Equal(t, int64(40), requests.Load())
}

// Many attempts that hang at dead hosts do not delay attempts at others.
func TestDeadHostsDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	const dead, hanging, living = 10, 20, 200
	stop, cancel := context.WithCancel(t.Context())
	client := newClient(t, webhook.ClientConfig{Guard: localGuard(t), Timeout: time.Minute})
	arrived := make(chan struct{}, dead*hanging)
	ended := make(chan error, dead*hanging)
	for range dead {
		address := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			hang(r)
		})
		delivery := deliveryTo(t, address)
		for range hanging {
			go func() {
				_, err := client.Send(stop, delivery)
				ended <- err
			}()
		}
	}
	for range dead * hanging {
		<-arrived
	}
	alive := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for range living {
		result, err := client.Send(t.Context(), deliveryTo(t, alive))
		require.NoError(t, err)
		require.True(t, result.Delivered())
	}
	require.Empty(t, ended, "all the others still hang")
	cancel()
	for range dead * hanging {
		require.ErrorIs(t, <-ended, context.Canceled)
	}
}
