package server_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listenAddresses returns the IPv4 addresses this process listens on.
func listenAddresses(t *testing.T) []string {
	t.Helper()
	own := map[string]bool{}
	fds, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil {
			own[target] = true
		}
	}
	table, err := os.ReadFile("/proc/self/net/tcp")
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[3] != "0A" || !own["socket:["+fields[9]+"]"] {
			continue
		}
		host, port, ok := strings.Cut(fields[1], ":")
		require.True(t, ok)
		raw, err := hex.DecodeString(host)
		require.NoError(t, err)
		number, err := strconv.ParseUint(port, 16, 16)
		require.NoError(t, err)
		ip := make(net.IP, 4)
		binary.BigEndian.PutUint32(ip, binary.NativeEndian.Uint32(raw)) // the kernel prints the address as one integer
		found = append(found, net.JoinHostPort(ip.String(), strconv.FormatUint(number, 10)))
	}
	return found
}

// shownCertificate returns the certificate the frontend presents.
func shownCertificate(t *testing.T, w *testServer, cert tls.Certificate) *x509.Certificate {
	t.Helper()
	conn, err := tls.Dial("tcp", w.server.Address(), &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: w.ca.pool(), Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"},
	})
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0]
}
