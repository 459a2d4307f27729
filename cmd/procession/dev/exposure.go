package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/demo"
)

// exposeFlag allows the local stack to listen beyond loopback. Neither the environment nor a file can set it.
const exposeFlag = "expose-demo-accounts"

// listenAddress is an address that the local stack listens on, with its flag.
type listenAddress struct {
	address *string
	flag    string
}

// listenAddresses returns all addresses that the local stack listens on.
func listenAddresses(c *config.Config, o *Options) []listenAddress {
	addresses := []listenAddress{
		{&c.Listen, "listen"},
		{&c.ListenTLS, "listen-tls"},
		{&c.ListenAdministration, "listen-administration"},
		{&c.ListenHealth, "listen-health"},
	}
	if c.TemporalAddress == "" {
		addresses = append(addresses, listenAddress{&o.temporalListen, "temporal-listen"})
	}
	return slices.DeleteFunc(addresses, func(a listenAddress) bool { return *a.address == "" })
}

// checkLoopback refuses addresses that other machines can reach: the secrets of the demo accounts are public.
func checkLoopback(c *config.Config, o *Options) error {
	if o.expose {
		return nil
	}
	var errs []error
	for _, a := range listenAddresses(c, o) {
		host, _, err := net.SplitHostPort(*a.address)
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s must be host:port: %w", a.flag, err))
			continue
		}
		if !config.IsLoopback(host) {
			errs = append(errs, fmt.Errorf("--%s is %s, which is not a loopback address such as 127.0.0.1; "+
				"dev loads accounts with public secrets. Only --%s lets other machines reach them",
				a.flag, *a.address, exposeFlag))
		}
	}
	if len(errs) > 0 {
		return config.UsageError{Err: errors.Join(errs...)}
	}
	return nil
}

// checkOwnDatabase refuses a database with tenants other than the demo tenants, before it writes to it.
func checkOwnDatabase(ctx context.Context, c config.Config) error {
	if c.DatabaseURL == "" {
		return nil
	}
	db, err := server.OpenDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer db.Close()
	names, err := db.Reader().ListTenantNamesExcept(ctx, []uuid.UUID{demo.TenantDemo(), demo.TenantOther()})
	if err != nil || len(names) == 0 {
		return err
	}
	return config.UsageError{Err: fmt.Errorf("--database-url is a database with tenants other than the demo's (%s): "+
		"dev loads accounts with public secrets. Give an empty database, or none for a private one",
		strings.Join(names, ", "))}
}
