package webhook

import "net/netip"

// reservedRange is a range of addresses that no public receiver has.
type reservedRange struct {
	prefix netip.Prefix
	// what is the kind of the addresses in words.
	what string
}

// reservedRanges are those of the special-purpose registries of IPv4 and IPv6
// (RFC 6890 and what came after it), and what is reserved by use: an address of
// one cloud that is neither private nor registered. The first match names an
// address; all of IPv6 that is not handed out as global unicast comes last.
//
// Ranges that carry an IPv4 address inside an IPv6 one are refused as a whole: a
// translator or a tunnel on the way would deliver to the inner address.
func reservedRanges() []reservedRange {
	texts := [][2]string{
		{"0.0.0.0/8", "unspecified"},
		{"10.0.0.0/8", "private"},
		{"100.64.0.0/10", "shared address space of a carrier"},
		{"127.0.0.0/8", "loopback"},
		{"169.254.0.0/16", "link-local"},
		{"172.16.0.0/12", "private"},
		{"192.0.0.0/24", "protocol assignment"},
		{"192.0.2.0/24", "documentation"},
		{"192.31.196.0/24", "protocol assignment"},
		{"192.52.193.0/24", "protocol assignment"},
		{"192.88.99.0/24", "6to4 relay"},
		{"192.168.0.0/16", "private"},
		{"192.175.48.0/24", "protocol assignment"},
		{"198.18.0.0/15", "benchmarking"},
		{"198.51.100.0/24", "documentation"},
		{"203.0.113.0/24", "documentation"},
		{"224.0.0.0/4", "multicast"},
		{"255.255.255.255/32", "broadcast"},
		{"240.0.0.0/4", "reserved"},
		{"168.63.129.16/32", "cloud platform"},

		{"::/128", "unspecified"},
		{"::1/128", "loopback"},
		{"::/96", "IPv4-compatible"},
		{"::ffff:0:0:0/96", "IPv4-translated"},
		{"64:ff9b::/96", "NAT64"},
		{"64:ff9b:1::/48", "NAT64"},
		{"100::/64", "discard"},
		{"100:0:0:1::/64", "discard"},
		{"2001::/32", "Teredo"},
		{"2001:2::/48", "benchmarking"},
		{"2001:10::/28", "ORCHID"},
		{"2001:20::/28", "ORCHID"},
		{"2001:db8::/32", "documentation"},
		{"2001::/23", "protocol assignment"},
		{"2002::/16", "6to4"},
		{"2620:4f:8000::/48", "protocol assignment"},
		{"3fff::/20", "documentation"},
		{"5f00::/16", "segment routing"},
		{"fc00::/7", "private"},
		{"fe80::/10", "link-local"},
		{"fec0::/10", "site-local"},
		{"ff00::/8", "multicast"},

		{"::/3", "not public"},
		{"4000::/2", "not public"},
		{"8000::/1", "not public"},
	}
	ranges := make([]reservedRange, len(texts))
	for i, text := range texts {
		ranges[i] = reservedRange{prefix: netip.MustParsePrefix(text[0]), what: text[1]}
	}
	return ranges
}
