// Package nettest provides addresses for servers that tests start.
package nettest

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

//nolint:gochecknoglobals // all tests of a binary share the ports
var addresses sync.Map

// FreeAddress returns a loopback address with a free port outside the range of ephemeral ports. No two calls in a test
// binary return the same.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	for {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(20_000+rand.IntN(12_000))) //nolint:gosec // any port does
		if _, taken := addresses.LoadOrStore(address, true); taken {
			continue
		}
		l, err := net.Listen("tcp", address) //nolint:noctx // closed at once
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		require.NoError(tb, err)
		require.NoError(tb, l.Close())
		return address
	}
}
