package webhook_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// hostile4 returns addresses that events must not be sent to, with at least one of
// each kind and both ends of most.
func hostile4() []netip.Addr {
	return addresses(
		"127.0.0.1", "127.0.0.3", "127.127.127.127", "127.255.255.254", // where canaries are
		"0.0.0.0", "0.1.2.3", "0.255.255.255",
		"10.0.0.0", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255",
		"100.64.0.1", "100.100.100.200", "100.127.255.255",
		"169.254.0.1", "169.254.169.254", "169.254.170.2", "169.254.169.123",
		"192.0.0.1", "192.0.0.192", "192.0.2.2", "192.88.99.1", "198.18.0.1", "198.19.255.255",
		"198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.254",
		"255.255.255.255", "168.63.129.16", "192.31.196.1", "192.52.193.1", "192.175.48.1",
	)
}

// hostile6 returns such addresses of IPv6.
func hostile6() []netip.Addr {
	return addresses(
		"::1", // where a canary is
		"::", "::7f00:1", "::a00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
		"::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808",
		"64:ff9b:1::7f00:1", "64:ff9b:1:ffff::a9fe:a9fe", "100::1", "100:0:0:1::1", "2001::1", "2001:0:7f00:1::",
		"2001:2::1", "2001:10::1", "2001:1f:ffff::1", "2001:20::1", "2001:db8::1", "2001:1ff::1", "2002:7f00:1::1",
		"2002:a9fe:a9fe::1", "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "8000::1",
		"fc00::1", "fd00::2", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "fe80::a9fe:a9fe", "febf::1", "fec0::1",
		"feff::1", "ff02::1", "ff0e::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1000::1", "200::1",
	)
}

func addresses(texts ...string) []netip.Addr {
	parsed := make([]netip.Addr, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParseAddr(text)
	}
	return parsed
}

// spellings4 returns authorities of URLs that some parser reads as the address: the
// spellings of inet_aton, IPv6 forms, Unicode digits, forms on which URL parsers
// disagree, and names. All have the port.
func spellings4(address netip.Addr, port string) []string {
	b := address.As4()
	n := binary.BigEndian.Uint32(b[:])
	dotted := address.String()
	embedded := fmt.Sprintf("%x:%x", n>>16, n&0xffff)
	dashed := strings.ReplaceAll(dotted, ".", "-")
	hosts := []string{
		dotted, dotted + ".",
		strconv.FormatUint(uint64(n), 10), fmt.Sprintf("0x%x", n), fmt.Sprintf("0X%X", n), fmt.Sprintf("0%o", n),
		fmt.Sprintf("%d", uint64(n)+1<<32), fmt.Sprintf("0x%x.", n),
		fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%04o.%06o.%05o.%010o", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("0x%02x.%d.0%o.%d", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%d.%d.%d", b[0], b[1], n&0xffff), fmt.Sprintf("%d.%d", b[0], n&0xffffff),
		fmt.Sprintf("0x%x.%d", b[0], n&0xffffff), fmt.Sprintf("%d.0x%x.", b[0], n&0xffffff),
		fmt.Sprintf("%03d.%03d.%03d.%03d", b[0], b[1], b[2], b[3]),
		"[::ffff:" + dotted + "]", "[::FFFF:" + embedded + "]", "[0:0:0:0:0:ffff:" + embedded + "]",
		"[::" + dotted + "]", "[::" + embedded + "]", "[::ffff:0:" + embedded + "]",
		"[64:ff9b::" + dotted + "]", "[64:ff9b:1::" + embedded + "]", "[2002:" + embedded + "::1]",
		"[2001:0:" + embedded + "::1]", "[::ffff:" + dotted + "%25lo]", "[" + dotted + "]",
		fold(dotted, '０'), fold(dotted, '𝟎'), strings.ReplaceAll(dotted, ".", "。"), strings.ReplaceAll(dotted, ".", "%2e"),
		strings.ReplaceAll(dotted, ".", "．"), escape(dotted), "%C2%AD" + dotted,
		dashed + ".v4.test", strings.ToUpper(dashed) + ".V4.TEST.", "xn--" + dashed + "-abc.v4.test", dashed + ".mapped.test",
		"_a." + dashed + ".v4.test",
	}
	return inURLs(hosts, port)
}

// spellings6 returns such authorities for an address of IPv6.
func spellings6(address netip.Addr, port string) []string {
	b := address.As16()
	long := address.StringExpanded()
	hosts := []string{
		"[" + address.String() + "]", "[" + strings.ToUpper(address.String()) + "]", "[" + long + "]",
		"[" + long[:30] + fmt.Sprintf("%d.%d.%d.%d", b[12], b[13], b[14], b[15]) + "]",
		"[" + address.String() + "%25lo]", "[" + address.String() + "%25eth0]", "[" + address.String() + "%251]",
		"[" + address.String() + "%lo]", address.String(), hex.EncodeToString(b[:]) + ".v6.test",
		strings.ToUpper(hex.EncodeToString(b[:])) + ".v6.TEST.",
	}
	return inURLs(hosts, port)
}

// inURLs puts hosts into URLs; some appear to lead to the listed address.
func inURLs(hosts []string, port string) []string {
	var urls []string
	for _, host := range hosts {
		authority := host + ":" + port
		urls = append(urls, "http://"+authority+"/", "hTTpS://"+authority+"/?token=x")
	}
	for _, host := range []string{hosts[0], hosts[len(hosts)-1]} {
		authority := host + ":" + port
		urls = append(
			urls,
			"http://"+listed+"@"+authority+"/", "http://"+listed+":"+port+"@"+authority+"/",
			"http://"+authority+"#@"+listed+":"+port+"/", "http://"+authority+"?@"+listed+":"+port+"/",
			"http://"+authority+"/@"+listed+":"+port+"/", "http://"+listed+":"+port+"\\@"+authority+"/",
			"http://"+authority+"\\@"+listed+":"+port+"/", "http://"+listed+"%40"+authority+"/",
			"http://"+listed+":"+port+" @"+authority+"/", "http://"+listed+"&@"+authority+"/",
			"http://"+authority+"\t/", "http://\r\n"+authority+"/", "http:///"+authority+"/", "http:"+authority+"/",
			"//"+authority+"/", "http:/\\"+authority+"/", "http://@"+authority+"/", "http://a:b@c@"+authority+"/",
			"http://"+host+":00"+port+"/", "http://"+host+":"+port+":"+port+"/", "http://"+listed+","+authority+"/",
			"gopher://"+authority+"/_x", "file://"+authority+"/etc/passwd", "ftp://"+authority+"/", "unix://"+authority+"/",
		)
	}
	return urls
}

// fold replaces the digits by another script's, which begin with zero.
func fold(text string, zero rune) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c - '0' + zero
		}
		return c
	}, text)
}

// escape writes all characters as escapes.
func escape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

// hostileNames answers as a name server of an attacker would: with the address
// that is spelled in the name, in the spellings of inet_aton too.
func hostileNames(name string, ipv6 bool) ([]netip.Addr, bool) {
	labels := strings.Split(name, ".")
	tail := strings.Join(labels[max(len(labels)-2, 0):], ".")
	spelled := labels[max(len(labels)-3, 0)]
	switch tail {
	case "v6.test":
		address, ok := fromHex(spelled)
		return only(address, ok && ipv6), ok
	case "v4.test", "mapped.test":
		dashed := strings.TrimSuffix(strings.TrimPrefix(spelled, "xn--"), "-abc")
		address, err := netip.ParseAddr(strings.ReplaceAll(dashed, "-", "."))
		return only(address, err == nil && ipv6 == (tail == "mapped.test")), err == nil
	default:
		address, ok := fromNumbers(labels)
		return only(address, ok && !ipv6), ok
	}
}

func only(address netip.Addr, ok bool) []netip.Addr {
	if !ok {
		return nil
	}
	return []netip.Addr{address}
}

func fromHex(text string) (netip.Addr, bool) {
	data, err := hex.DecodeString(text)
	if err != nil {
		return netip.Addr{}, false
	}
	return netip.AddrFromSlice(data)
}

// fromNumbers reads one to four numbers in any base. The last one fills the remaining
// bytes.
func fromNumbers(labels []string) (netip.Addr, bool) {
	if len(labels) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, label := range labels {
		number, err := strconv.ParseUint(label, 0, 64)
		if err != nil {
			return netip.Addr{}, false
		}
		if i < len(labels)-1 {
			value |= (number & 0xff) << (24 - 8*i)
			continue
		}
		value |= number & (1<<(32-8*i) - 1)
	}
	var data [4]byte
	binary.BigEndian.PutUint32(data[:], uint32(value))
	return netip.AddrFrom4(data), true
}
