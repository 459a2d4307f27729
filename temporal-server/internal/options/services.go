package options

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"go.temporal.io/server/common/primitives"
)

const (
	// membershipDistance is the difference between the port of a service and the port of its membership protocol.
	membershipDistance = 300
	// lastPort is the highest port that Temporal can store: it has 16 signed bits for it.
	lastPort = 1<<15 - 1
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

// defaultPorts returns Temporal's own ports of the services other than the frontend.
func defaultPorts() map[primitives.ServiceName]int {
	return map[primitives.ServiceName]int{
		primitives.HistoryService: 7234, primitives.MatchingService: 7235,
		primitives.InternalFrontendService: 7236, primitives.WorkerService: 7239,
	}
}

// Split reports whether the process is one of several.
func (o *Options) Split() bool { return len(o.Services) > 0 }

// Runs reports whether the process runs a service.
func (o *Options) Runs(service primitives.ServiceName) bool {
	return !o.Split() || slices.Contains(o.Services, string(service))
}

// Port returns the port of a service on every host of a cluster of several processes. The frontend has the port of Listen. It returns 0
// for a value that is no port.
func (o *Options) Port(service primitives.ServiceName) int {
	text := strconv.Itoa(defaultPorts()[service])
	if service == primitives.FrontendService {
		_, text, _ = net.SplitHostPort(o.Listen)
	}
	for _, entry := range o.Ports {
		if name, value, _ := strings.Cut(entry, "="); name == string(service) {
			text = value
		}
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return port
}

// MembershipPort returns the port at which a service finds the other processes of the cluster.
func (o *Options) MembershipPort(service primitives.ServiceName) int {
	return o.Port(service) - membershipDistance
}

// checkServices returns the errors in the settings of a cluster of several processes.
func (o *Options) checkServices() (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !o.Split() {
		if o.Store == StoreCassandra {
			fail("--store cassandra needs --services, also with all services in one process: without it nothing stops a second process from using the same keyspace")
		}
		if o.Advertise != "" || len(o.Ports) > 0 || o.Internal != "" {
			fail("--advertise, --ports and --internal-certificate need --services")
		}
		return errs
	}
	services := Services()
	for _, name := range o.Services {
		if !slices.Contains(services, primitives.ServiceName(name)) {
			fail("--services: there is no service %q", name)
		}
	}
	if o.Store == StoreSQLite {
		fail("--services needs --store postgres or cassandra: each process would have a database of its own in memory")
	}
	if o.Internal == "" {
		fail("--internal-certificate is required with --services")
	}
	if ip := net.ParseIP(o.Advertise); ip == nil || ip.IsUnspecified() || ip.IsMulticast() {
		fail("--advertise must be the IP address at which the other processes reach this one, not %q", o.Advertise)
	}
	return append(errs, o.checkPorts()...)
}

// checkPorts returns the errors in the ports of a cluster of several processes.
func (o *Options) checkPorts() (errs []error) {
	for _, entry := range o.Ports {
		name, _, _ := strings.Cut(entry, "=")
		switch service := primitives.ServiceName(name); {
		case service == primitives.FrontendService:
			errs = append(errs, errors.New("--ports: the frontend has the port of --listen"))
		case !slices.Contains(Services(), service):
			errs = append(errs, fmt.Errorf("--ports: there is no service %q", name))
		}
	}
	users := map[int]primitives.ServiceName{}
	for _, service := range Services() {
		port, flag := o.Port(service), "--ports"
		if service == primitives.FrontendService {
			flag = "--listen"
		}
		if port <= membershipDistance || port > lastPort {
			errs = append(errs, fmt.Errorf("%s: the port of %s must be %d to %d with --services", flag, service, membershipDistance+1, lastPort))
			continue
		}
		for _, used := range []int{port, port - membershipDistance} {
			if other, taken := users[used]; taken {
				errs = append(errs, fmt.Errorf("%s: %s and %s both use port %d; membership uses the port %d below that of the service",
					flag, other, service, used, membershipDistance))
			}
			users[used] = service
		}
	}
	return errs
}
