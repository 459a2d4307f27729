package config

import (
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/cloud"
)

// TemporalCloud configures the operations API of Temporal Cloud for a cluster there.
type TemporalCloud struct {
	// APIKeyFile is "" if the service does not use the API.
	APIKeyFile string   `yaml:"api-key-file"`
	Account    string   `yaml:"account"`
	Regions    textList `yaml:"regions"`
	// Authentication is CloudAPIKey or CloudCertificate, "" for CloudAPIKey.
	Authentication string        `yaml:"authentication,omitempty"`
	KeyLifetime    time.Duration `yaml:"key-lifetime,omitempty"`
	Address        string        `yaml:"address,omitempty"`
	TLSCA          string        `yaml:"tls-ca,omitempty"`
}

// The ways in which workers and the service authenticate to namespaces in Temporal Cloud.
const (
	CloudAPIKey      = "api-key"
	CloudCertificate = "certificate"
)

const (
	// longestCloudRetention is the longest retention of namespaces in Temporal Cloud.
	longestCloudRetention = 90 * 24 * time.Hour
	minCloudKeyLifetime   = 24 * time.Hour
	maxCloudKeyLifetime   = 365 * 24 * time.Hour
)

var (
	cloudAccount = regexp.MustCompile(`^[a-z0-9]{1,32}$`)
	cloudRegion  = regexp.MustCompile(`^(aws|gcp|azure)-[a-z0-9-]+$`)
)

// bindFlags declares the flags of the default cluster.
func (c *TemporalCloud) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.APIKeyFile, "temporal-cloud-api-key-file", "",
		"file of an API key for the operations API of Temporal Cloud, reloaded when it changes: the service then creates the namespaces of "+
			"tenants, and the credentials of workers, in Temporal Cloud")
	f.StringVar(&c.Account, "temporal-cloud-account", "", "account in Temporal Cloud, the suffix of its namespaces such as a1b2c")
	f.Var(&c.Regions, "temporal-cloud-regions", "regions of new namespaces in Temporal Cloud such as aws-eu-central-1, the active one first")
	f.StringVar(&c.Authentication, "temporal-cloud-authentication", CloudAPIKey,
		"how the service and workers authenticate to namespaces in Temporal Cloud: "+CloudAPIKey+", or "+CloudCertificate+
			" for certificates of the service's authority")
	f.DurationVar(&c.KeyLifetime, "temporal-cloud-key-lifetime", cloud.DefaultKeyLifetime,
		"how long an API key of a worker in Temporal Cloud is valid; it is replaced after half of the time")
	f.StringVar(&c.Address, "temporal-cloud-address", cloud.DefaultAddress, "host:port of the operations API of Temporal Cloud")
	f.StringVar(&c.TLSCA, "temporal-cloud-tls-ca", "",
		"authorities of the certificate of the operations API (PEM file), reloaded when it changes; empty for those of the system")
}

// usesCertificates reports whether namespaces are to accept certificates of the service.
func (c *TemporalCloud) usesCertificates() bool { return c.Authentication == CloudCertificate }

// CloudOptions returns the options of the operations API without its credentials.
func (t *TemporalCluster) CloudOptions(retention time.Duration) cloud.Options {
	return cloud.Options{
		Address: t.Cloud.Address, Account: t.Cloud.Account, Regions: t.Cloud.Regions, Retention: retention,
		Certificates: t.Cloud.usesCertificates(), KeyLifetime: t.Cloud.KeyLifetime,
	}
}

// InCloud reports whether the service maintains namespaces of the cluster in Temporal Cloud.
func (t *TemporalCluster) InCloud() bool { return t.Cloud.APIKeyFile != "" }

// AddressOf returns the address for a namespace.
func (t *TemporalCluster) AddressOf(namespace string) string {
	return strings.ReplaceAll(t.Address, engine.NamespacePlaceholder, namespace)
}

// checkCloud requires the rules of a cluster in Temporal Cloud.
func (t *TemporalCluster) checkCloud(require func(ok bool, setting, rule string), prefix string) {
	c, used := &t.Cloud, t.InCloud()
	require(c.Account == "" && !used || cloudAccount.MatchString(c.Account), "cloud-account", "must be the suffix of namespaces such as a1b2c")
	require(len(c.Regions) > 0 || !used, "cloud-regions", "must name a region such as aws-eu-central-1")
	for _, region := range c.Regions {
		require(cloudRegion.MatchString(region), "cloud-regions", "must be names such as aws-eu-central-1")
	}
	require(c.Authentication == "" || c.Authentication == CloudAPIKey || c.usesCertificates(), "cloud-authentication",
		"must be "+CloudAPIKey+" or "+CloudCertificate)
	require(c.KeyLifetime == 0 || c.KeyLifetime >= minCloudKeyLifetime && c.KeyLifetime <= maxCloudKeyLifetime, "cloud-key-lifetime",
		"must be between 24h and 8760h")
	require(c.Address == "" || isAddress(c.Address), "cloud-address", "must be host:port such as "+cloud.DefaultAddress)
	if !used {
		require(c.Account == "" && len(c.Regions) == 0 && !c.usesCertificates() && c.TLSCA == "", "cloud-api-key-file",
			"is required with other settings of Temporal Cloud")
		require(!strings.Contains(t.Address, engine.NamespacePlaceholder), "address", "may contain "+engine.NamespacePlaceholder+" in Temporal Cloud only")
		return
	}
	require(!t.Plaintext && !t.Anonymous, "cloud-api-key-file", "excludes "+prefix+"tls=false and "+prefix+"anonymous")
	require(t.TLSCA != "", "tls-ca", "is required in Temporal Cloud: workers verify its certificate with it")
	require(!t.WithholdWorkerCredentials && t.WorkerAPIKeyFile == "" && t.WorkerTLSCert == "", "cloud-api-key-file",
		"excludes other credentials of workers")
	if c.usesCertificates() {
		require(t.TLSCert == "" && t.APIKeyFile == "", "cloud-authentication", "excludes other credentials of the service if it is "+CloudCertificate)
		require(strings.Contains(t.Address, engine.NamespacePlaceholder), "address",
			"must be "+engine.NamespacePlaceholder+".tmprl.cloud:7233: namespaces that accept certificates have an address each")
	}
}
