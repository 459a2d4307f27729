package webhook_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// answers returns the addresses of a name, which is in lower case and has no full
// stop at its end, or false when there is no such name. It is called once for
// IPv4 and once for IPv6 whenever a name is resolved.
type answers func(name string, ipv6 bool) ([]netip.Addr, bool)

// newResolver serves answers from a name server of its own, and returns a resolver
// that uses no other server and no cache.
func newResolver(t *testing.T, look answers) *net.Resolver {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		serveNames(conn, look)
	}()
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		<-served
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// serveNames answers until the connection is closed.
func serveNames(conn *net.UDPConn, look answers) {
	buffer := make([]byte, 1500)
	for {
		n, client, err := conn.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return
		}
		var query dnsmessage.Message
		if query.Unpack(buffer[:n]) != nil || len(query.Questions) != 1 {
			continue
		}
		reply := replyTo(&query, look)
		packed, err := reply.Pack()
		if err != nil {
			continue
		}
		// A client that has gone asks again.
		_, _ = conn.WriteToUDPAddrPort(packed, client)
	}
}

func replyTo(query *dnsmessage.Message, look answers) *dnsmessage.Message {
	question := query.Questions[0]
	reply := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: query.Questions,
	}
	name := strings.ToLower(strings.TrimSuffix(question.Name.String(), "."))
	addresses, ok := look(name, question.Type == dnsmessage.TypeAAAA)
	if !ok {
		reply.RCode = dnsmessage.RCodeNameError
	}
	for _, address := range addresses {
		var record dnsmessage.ResourceBody = &dnsmessage.AAAAResource{AAAA: address.As16()}
		if question.Type == dnsmessage.TypeA {
			record = &dnsmessage.AResource{A: address.As4()}
		}
		reply.Answers = append(reply.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}, Body: record,
		})
	}
	return reply
}
