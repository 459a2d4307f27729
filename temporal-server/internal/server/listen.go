package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
)

// Ports are chosen below the range the kernel takes for outgoing connections (32768 on Linux), so that none of those can take a port between
// its reservation and Temporal's listening. Temporal also stores ports in 16 signed bits.
const (
	lowestPort  = 20000
	highestPort = 30000
)

// reservations are addresses that are held until Temporal is about to open its listeners, which it does itself.
type reservations []net.Listener

// releaseAll releases the addresses.
func (r *reservations) releaseAll() error {
	var errs []error
	for _, l := range *r {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// reserveAddress takes address, the value of flag, and returns its IP and port. Port 0 chooses a free one. The error of a taken address names
// both.
func (r *reservations) reserveAddress(ctx context.Context, flag, address string) (net.IP, int, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, 0, fmt.Errorf("--%s: %w", flag, err)
	}
	ip, err := resolveHost(ctx, host)
	if err != nil {
		return nil, 0, fmt.Errorf("--%s %s: %w", flag, address, err)
	}
	if port == "0" {
		number, err := r.reserveFree(ctx, ip)
		return ip, number, err
	}
	number, err := r.listen(ctx, ip, port)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot listen on %s: %w; choose another address with --%s", address, err, flag)
	}
	return ip, number, nil
}

// reserveFree reserves a free port of ip.
func (r *reservations) reserveFree(ctx context.Context, ip net.IP) (int, error) {
	var last error
	for range 100 {
		port := lowestPort + rand.IntN(highestPort-lowestPort) //nolint:gosec // any free port will do
		number, err := r.listen(ctx, ip, strconv.Itoa(port))
		if err == nil {
			return number, nil
		}
		last = err
	}
	return 0, fmt.Errorf("finding a free port of %s: %w", ip, last)
}

func (r *reservations) listen(ctx context.Context, ip net.IP, port string) (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(ip.String(), port))
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err // the address is in the caller's message
		}
		return 0, err
	}
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.Join(errors.New("not a TCP address"), l.Close())
	}
	*r = append(*r, l)
	return address.Port, nil
}

// resolveHost returns the IP address of the host of a listen address: Temporal accepts no names. An empty host stands for every address.
func resolveHost(ctx context.Context, host string) (net.IP, error) {
	if host == "" {
		return net.IPv4zero, nil
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil {
		return ip, nil
	}
	found, err := net.DefaultResolver.LookupIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, ip := range found {
		if ip.To4() != nil {
			return ip, nil
		}
	}
	return found[0], nil
}
