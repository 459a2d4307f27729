package webhook

import "net/netip"

// namedRange is a range of refused addresses with a description for errors.
type namedRange struct {
	prefix      netip.Prefix
	description string
}

// namedRanges returns the refused ranges with a description. The first match applies.
// The library knows the other special-purpose ranges of the IANA registries, except one
// cloud platform's address, which no registry lists.
//
// Ranges that carry an IPv4 address inside an IPv6 one are refused as a whole: a
// translator or a tunnel on the way would deliver to the inner address.
func namedRanges() []namedRange {
	texts := [][2]string{
		{"0.0.0.0/8", "unspecified"},
		{"10.0.0.0/8", "private"},
		{"127.0.0.0/8", "loopback"},
		{"169.254.0.0/16", "link-local"},
		{"172.16.0.0/12", "private"},
		{"192.168.0.0/16", "private"},
		{"224.0.0.0/4", "multicast"},
		{"255.255.255.255/32", "broadcast"},
		{"168.63.129.16/32", "cloud platform"},

		{"::/128", "unspecified"},
		{"::1/128", "loopback"},
		{"::/96", "IPv4-compatible"},
		{"64:ff9b::/96", "NAT64"},
		{"64:ff9b:1::/48", "NAT64"},
		{"100::/63", "discard"},
		{"2001::/32", "Teredo"},
		{"2001:10::/28", "ORCHID"},
		{"2001:20::/28", "ORCHID"},
		{"2002::/16", "6to4"},
		{"fc00::/7", "private"},
		{"fe80::/10", "link-local"},
		{"fec0::/10", "site-local"},
		{"ff00::/8", "multicast"},
	}
	ranges := make([]namedRange, len(texts))
	for i, text := range texts {
		ranges[i] = namedRange{prefix: netip.MustParsePrefix(text[0]), description: text[1]}
	}
	return ranges
}
