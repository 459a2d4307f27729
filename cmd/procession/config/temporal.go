package config

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

// Temporal configures the use of Temporal.
type Temporal struct {
	TemporalAddress        string
	TemporalNamespace      string
	TemporalRetention      time.Duration
	TemporalTLS            bool
	TemporalAllowPlaintext bool
	TemporalTLSCA          string
	TemporalTLSCert        string
	TemporalTLSKey         string
	TemporalTLSServerName  string
	TemporalAPIKeyFile     string
	TemporalAnonymous      bool
	WorkerCredentials      bool
	WorkerAPIKeyFile       string
	WorkerTLSCert          string
	WorkerTLSKey           string
	TemporalCloud          TemporalCloud
	TemporalClusters       temporalClusters
	TaskQueueInterval      time.Duration
	PollerTimeout          time.Duration
	CancelGrace            time.Duration
}

// bindFlags declares the flags.
func (c *Temporal) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.TemporalAddress, "temporal-address", "", "host:port of Temporal's frontend")
	f.StringVar(&c.TemporalNamespace, "temporal-namespace", engine.DefaultNamespace, "namespace of the service's own workflows")
	f.DurationVar(&c.TemporalRetention, "temporal-retention", engine.DefaultRetention,
		"how long namespaces created by the service keep ended workflows")
	f.BoolVar(&c.TemporalTLS, "temporal-tls", true, "connect to Temporal with TLS")
	f.BoolVar(&c.TemporalAllowPlaintext, "temporal-allow-plaintext", false,
		"with --temporal-tls=false, connect to Temporal in plain text on another host: the network can read and change all data of workflows")
	f.StringVar(&c.TemporalTLSCA, "temporal-tls-ca", "",
		"authorities of Temporal's certificate (PEM file), reloaded when it changes; empty for the service's own authority, or for those of "+
			"the system with given credentials")
	f.StringVar(&c.TemporalTLSCert, "temporal-tls-cert", "",
		"client certificate that the owner of Temporal gave (PEM file), reloaded when it changes; empty for one of the service's own authority")
	f.StringVar(&c.TemporalTLSKey, "temporal-tls-key", "", "private key of --temporal-tls-cert (PEM file)")
	f.StringVar(&c.TemporalTLSServerName, "temporal-tls-server-name", "", "name in Temporal's certificate; empty for the host of --temporal-address")
	f.StringVar(&c.TemporalAPIKeyFile, "temporal-api-key-file", "",
		"file of the API key that the owner of Temporal gave, reloaded when it changes; it replaces the token of the service")
	f.BoolVar(&c.TemporalAnonymous, "temporal-anonymous", false, "send no credentials to a Temporal with TLS that requires none")
	f.BoolVar(&c.WorkerCredentials, "temporal-worker-credentials", true,
		"issue credentials for Temporal to workers; without them, the authentication endpoints answer 409")
	f.StringVar(&c.WorkerAPIKeyFile, "temporal-worker-api-key-file", "",
		"file of the API key that the owner of Temporal gave to a worker; {namespace} and {application} in the name stand for the worker's "+
			"namespace and the id of its application; empty for tokens of the service")
	f.StringVar(&c.WorkerTLSCert, "temporal-worker-tls-cert", "",
		"client certificate that the owner of Temporal gave to a worker (PEM file), with the same placeholders; empty for certificates of "+
			"the service's authority")
	f.StringVar(&c.WorkerTLSKey, "temporal-worker-tls-key", "", "private key of --temporal-worker-tls-cert (PEM file)")
	c.TemporalCloud.bindFlags(f)
	f.Var(&c.TemporalClusters, "temporal-clusters", "additional clusters, which tenants name in their manifests, as YAML or JSON: "+
		`[{"name": "…", "address": "…", "api-key-file": "…"}], with the settings --temporal-… of the default one`)
	f.DurationVar(&c.TaskQueueInterval, "task-queue-interval", engine.DefaultTaskQueueInterval,
		"how often task queues are observed in Temporal")
	f.DurationVar(&c.PollerTimeout, "poller-timeout", domain.DefaultTaskQueueTimeouts().Poll,
		"how long a worker counts as polling after the start of its last poll")
	f.DurationVar(&c.CancelGrace, "cancel-grace", time.Minute,
		"how long a workflow may take to cancel before it is terminated")
}

// checkSettings validates the settings.
func (c *Temporal) checkSettings() error {
	var wrong faults
	byDefault := c.defaultCluster()
	wrong.require(c.TemporalAddress == "" || isAddress(byDefault.AddressOf(c.TemporalNamespace)) && !strings.HasPrefix(c.TemporalAddress, ":"),
		"temporal-address", "must be host:port such as temporal.example.com:7233")
	byDefault.check(func(ok bool, setting, rule string) { wrong.require(ok, "temporal-"+setting, rule) }, "--temporal-")
	wrong.add("temporal-clusters", c.TemporalClusters.check())
	wrong.require(!strings.ContainsAny(c.TemporalNamespace, " /"), "temporal-namespace",
		"must be the name of a namespace")
	wrong.require(!byDefault.InCloud() || strings.HasSuffix(c.TemporalNamespace, "."+c.TemporalCloud.Account), "temporal-namespace",
		"must end with the account in Temporal Cloud, such as procession.a1b2c")
	wrong.require(c.TemporalRetention >= 24*time.Hour, "temporal-retention", "must be 24h or more")
	wrong.require(c.TemporalRetention <= longestCloudRetention || !slices.ContainsFunc(c.Clusters(), func(t TemporalCluster) bool { return t.InCloud() }),
		"temporal-retention", "must be 2160h or less in Temporal Cloud")
	wrong.require(c.TaskQueueInterval >= 100*time.Millisecond, "task-queue-interval", "must be 100ms or more")
	wrong.require(c.PollerTimeout >= time.Second, "poller-timeout", "must be 1s or more")
	wrong.require(c.CancelGrace >= 0, "cancel-grace", "must not be negative")
	return wrong.join()
}

func (c *Temporal) requireTemporal() error {
	if c.TemporalAddress == "" {
		return missingSetting("temporal-address")
	}
	return nil
}
