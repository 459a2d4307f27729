package webhook_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/webhook"
)

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	guard, err := webhook.NewGuard(webhook.Policy{}, nil)
	require.NoError(t, err)
	for _, address := range append(hostile4(), hostile6()...) {
		var refusedErr *webhook.RefusedError
		require.ErrorAs(t, guard.CheckAddress(address), &refusedErr, address)
		require.NotEmpty(t, refusedErr.Kind)
		require.NotContains(t, refusedErr.Error(), address.String())
	}
	// The addresses next to the ranges are public.
	for _, address := range addresses(
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
		"168.63.129.15", "168.63.129.17", "8.8.8.8", "::ffff:8.8.8.8",
		"2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111", "2a00:1450::1", "3ffe::1",
	) {
		require.NoError(t, guard.CheckAddress(address), address)
	}
	require.Error(t, guard.CheckAddress(netip.Addr{}))
	require.Error(t, guard.CheckAddress(netip.MustParseAddr("2606:4700::1111%eth0")))
}

func TestCheckAddressNamesTheKind(t *testing.T) {
	t.Parallel()
	guard, err := webhook.NewGuard(webhook.Policy{}, nil)
	require.NoError(t, err)
	for address, want := range map[string]string{
		"127.0.0.1": "loopback", "::1": "loopback", "::ffff:10.0.0.1": "private", "fd00::1": "private",
		"169.254.169.254": "link-local", "fe80::1": "link-local", "0.0.0.0": "unspecified", "::": "unspecified",
		"255.255.255.255": "broadcast", "224.0.0.1": "multicast", "ff02::1": "multicast", "168.63.129.16": "cloud platform",
		"64:ff9b::7f00:1": "NAT64", "2002:7f00:1::": "6to4", "2001::1": "Teredo", "2001:20::1": "ORCHID",
		"::7f00:1": "IPv4-compatible", "100::1": "discard", "fec0::1": "site-local", "9999::1": "not public",
	} {
		require.EqualError(t, guard.CheckAddress(netip.MustParseAddr(address)), "the address is refused: "+want, address)
	}
}

func TestPolicyLists(t *testing.T) {
	t.Parallel()
	guard, err := webhook.NewGuard(webhook.Policy{
		Allow:  []string{"10.1.0.0/16", "::ffff:172.16.0.0/124", "fd00:1::/32", "127.0.0.1", "2606:4700::8", "example.test"},
		Refuse: []string{"8.8.8.0/24", "2606:4700::/32", "9.9.9.9"},
	}, nil)
	require.NoError(t, err)
	for _, allowed := range addresses(
		"10.1.0.0", "10.1.255.255", "172.16.0.15", "fd00:1::9", "127.0.0.1", "::ffff:127.0.0.1", "2606:4700::8", "8.8.4.4",
	) {
		require.NoError(t, guard.CheckAddress(allowed), allowed)
	}
	for _, blocked := range addresses(
		"10.0.255.255", "10.2.0.0", "172.16.0.16", "fd00:2::9", "127.0.0.2", "2606:4700::9", "8.8.8.8", "::ffff:8.8.8.8", "9.9.9.9",
	) {
		require.Error(t, guard.CheckAddress(blocked), blocked)
	}
	require.Error(t, guard.CheckAddress(netip.MustParseAddr("fd00:1::9%eth0")))
}

func TestPolicyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "10.0.0.0/33", "10.0.0.1/", "10.0.0", "0x7f.1", "fe80::1%eth0", "fe80::%eth0/64", "::ffff:0.0.0.0/80",
		"https://example.test", "example.test:443", "*.example.test", "bücher.test", "-a.test",
	} {
		_, err := webhook.NewGuard(webhook.Policy{Allow: []string{text}}, nil)
		require.Error(t, err, "%q", text)
	}
	_, err := webhook.NewGuard(webhook.Policy{Refuse: []string{"example.test"}}, nil)
	require.Error(t, err, "a name cannot be refused: others lead to the same place")
}
