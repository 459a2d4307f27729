package options

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"go.temporal.io/server/common/primitives"
)

// Services returns the names of Temporal's services. The internal frontend serves the system's own workers, which have no token.
func Services() []primitives.ServiceName {
	return []primitives.ServiceName{
		primitives.FrontendService,
		primitives.InternalFrontendService,
		primitives.HistoryService,
		primitives.MatchingService,
		primitives.WorkerService,
	}
}

// Split reports whether the process is one of several.
func (o *Options) Split() bool { return len(o.Services) > 0 }

// Runs reports whether the process runs a service.
func (o *Options) Runs(service primitives.ServiceName) bool {
	return !o.Split() || slices.Contains(o.Services, string(service))
}

// Host returns the address of a service of a cluster of several processes.
func (o *Options) Host(service primitives.ServiceName) string {
	if service == primitives.FrontendService {
		return o.Listen
	}
	for _, host := range o.Hosts {
		if name, address, _ := strings.Cut(host, "="); name == string(service) {
			return address
		}
	}
	return ""
}

// checkServices returns the errors in the settings of a cluster of several processes.
func (o *Options) checkServices() (errs []error) {
	if !o.Split() {
		if len(o.Hosts) > 0 || o.Internal != "" {
			errs = append(errs, errors.New("--hosts and --internal-certificate need --services"))
		}
		return errs
	}
	known := Services()
	for _, name := range o.Services {
		if !slices.Contains(known, primitives.ServiceName(name)) {
			errs = append(errs, fmt.Errorf("--services: there is no service %q", name))
		}
	}
	if o.Store != StorePostgres {
		errs = append(errs, errors.New("--services needs --store postgres"))
	}
	if o.Internal == "" {
		errs = append(errs, errors.New("--internal-certificate is required with --services"))
	}
	for _, host := range o.Hosts {
		name, _, _ := strings.Cut(host, "=")
		if name == string(primitives.FrontendService) || !slices.Contains(known, primitives.ServiceName(name)) {
			errs = append(errs, fmt.Errorf("--hosts: there is no service %q", name))
		}
	}
	for _, service := range known {
		host, port, err := net.SplitHostPort(o.Host(service))
		switch {
		case service == primitives.FrontendService && port == "0":
			errs = append(errs, errors.New("--listen needs a port with --services"))
		case service != primitives.FrontendService && (err != nil || net.ParseIP(host) == nil || port == "0"):
			errs = append(errs, fmt.Errorf("--hosts must have ip:port of %s", service))
		}
	}
	return errs
}
