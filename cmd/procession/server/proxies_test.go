package server

import (
	"bytes"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUntrustedProxiesAreRemembered(t *testing.T) {
	t.Parallel()
	var u untrustedProxies
	var logged bytes.Buffer
	now := time.Date(2026, time.March, 2, 10, 30, 0, 0, time.UTC)
	note := u.newRecorder(slog.New(slog.NewTextHandler(&logged, nil)), func() time.Time { return now })
	_, at := u.lastPeer(now)
	require.Zero(t, at)
	for range 100 {
		note(netip.MustParseAddr("192.0.2.1"))
		now = now.Add(time.Second)
	}
	peer, _ := u.lastPeer(now.Add(59 * time.Minute))
	require.Equal(t, "192.0.2.1", peer)
	require.Equal(t, 1, strings.Count(logged.String(), "--trusted-proxies"), "one line for a proxy")
	_, at = u.lastPeer(now.Add(62 * time.Minute))
	require.Zero(t, at, "it is forgotten")
}
