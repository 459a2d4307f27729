package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/procession-dev/procession/authn"
)

// TemporalCluster configures the connection to a Temporal cluster. Its members mean the same as the settings --temporal-… of the
// default cluster.
type TemporalCluster struct {
	// Name is "" for the default cluster.
	Name    string `yaml:"name"`
	Address string `yaml:"address"`
	// Plaintext turns off TLS.
	Plaintext      bool   `yaml:"plaintext,omitempty"`
	AllowPlaintext bool   `yaml:"allow-plaintext,omitempty"`
	TLSCA          string `yaml:"tls-ca,omitempty"`
	TLSCert        string `yaml:"tls-cert,omitempty"`
	TLSKey         string `yaml:"tls-key,omitempty"`
	TLSServerName  string `yaml:"tls-server-name,omitempty"`
	APIKeyFile     string `yaml:"api-key-file,omitempty"`
	Anonymous      bool   `yaml:"anonymous,omitempty"`
	// WithholdWorkerCredentials is the opposite of --temporal-worker-credentials.
	WithholdWorkerCredentials bool   `yaml:"withhold-worker-credentials,omitempty"`
	WorkerAPIKeyFile          string `yaml:"worker-api-key-file,omitempty"`
	WorkerTLSCert             string `yaml:"worker-tls-cert,omitempty"`
	WorkerTLSKey              string `yaml:"worker-tls-key,omitempty"`
	// Cloud configures a cluster in Temporal Cloud.
	Cloud TemporalCloud `yaml:"cloud,omitempty"`
}

// TemporalCredentials is the kind of credentials that the service presents to Temporal.
type TemporalCredentials string

const (
	// TemporalOwn are a certificate and a token of the service's authority.
	TemporalOwn TemporalCredentials = "own"
	// TemporalCertificate is a certificate of the service's authority without a token, for Temporal Cloud.
	TemporalCertificate TemporalCredentials = "certificate"
	// TemporalGiven are a certificate or an API key of the cluster's owner.
	TemporalGiven TemporalCredentials = "given"
	// TemporalNone are no credentials.
	TemporalNone TemporalCredentials = "none"
)

// Credentials returns the kind of credentials that the settings select. The service's own are never sent in plain text
// or together with given ones.
func (t *TemporalCluster) Credentials() TemporalCredentials {
	switch {
	case t.Plaintext || t.Anonymous:
		return TemporalNone
	case t.InCloud() && t.Cloud.usesCertificates():
		return TemporalCertificate
	case t.TLSCert != "" || t.APIKeyFile != "":
		return TemporalGiven
	}
	return TemporalOwn
}

// Workers describes the credentials of workers.
func (t *TemporalCluster) Workers() authn.Cluster {
	return authn.Cluster{
		Plaintext: t.Plaintext, Withhold: t.WithholdWorkerCredentials, AuthorityFile: t.TLSCA,
		CloudKeys: t.InCloud() && !t.Cloud.usesCertificates(), APIKeyFile: t.WorkerAPIKeyFile, CertificateFile: t.WorkerTLSCert, KeyFile: t.WorkerTLSKey,
	}
}

// check requires the rules of the settings. The prefix makes the names of settings in rules.
func (t *TemporalCluster) check(require func(ok bool, setting, rule string), prefix string) {
	require(!t.Plaintext || t.Address == "" || t.AllowPlaintext || IsLoopback(HostOf(t.Address)), "tls",
		"must be true for another host; "+prefix+"allow-plaintext allows plain text")
	for _, s := range []struct{ name, value string }{
		{"tls-ca", t.TLSCA},
		{"tls-cert", t.TLSCert},
		{"tls-server-name", t.TLSServerName},
		{"api-key-file", t.APIKeyFile},
		{"worker-api-key-file", t.WorkerAPIKeyFile},
		{"worker-tls-cert", t.WorkerTLSCert},
	} {
		require(!t.Plaintext || s.value == "", s.name, "needs "+prefix+"tls")
	}
	require((t.TLSCert == "") == (t.TLSKey == ""), "tls-cert", "and "+prefix+"tls-key need each other")
	require(!t.Anonymous || t.TLSCert == "" && t.APIKeyFile == "", "anonymous", "excludes "+prefix+"tls-cert and "+prefix+"api-key-file")
	require((t.WorkerTLSCert == "") == (t.WorkerTLSKey == ""), "worker-tls-cert", "and "+prefix+"worker-tls-key need each other")
	t.checkCloud(require, prefix)
	require(!t.WithholdWorkerCredentials || t.WorkerAPIKeyFile == "" && t.WorkerTLSCert == "", "worker-credentials",
		"must be true with "+prefix+"worker-api-key-file and "+prefix+"worker-tls-cert")
}

// Clusters returns the clusters, the default one first. In Temporal Cloud the service uses one API key for all purposes unless it has
// another one.
func (c *Temporal) Clusters() []TemporalCluster {
	clusters := append([]TemporalCluster{*c.defaultCluster()}, c.TemporalClusters...)
	for i := range clusters {
		if t := &clusters[i]; t.TLSCert == "" && t.APIKeyFile == "" && !t.Cloud.usesCertificates() {
			t.APIKeyFile = t.Cloud.APIKeyFile
		}
	}
	return clusters
}

// defaultCluster returns the cluster of the settings --temporal-….
func (c *Temporal) defaultCluster() *TemporalCluster {
	return &TemporalCluster{
		Address: c.TemporalAddress, Plaintext: !c.TemporalTLS, AllowPlaintext: c.TemporalAllowPlaintext,
		TLSCA: c.TemporalTLSCA, TLSCert: c.TemporalTLSCert, TLSKey: c.TemporalTLSKey, TLSServerName: c.TemporalTLSServerName,
		APIKeyFile: c.TemporalAPIKeyFile, Anonymous: c.TemporalAnonymous,
		WithholdWorkerCredentials: !c.WorkerCredentials,
		WorkerAPIKeyFile:          c.WorkerAPIKeyFile, WorkerTLSCert: c.WorkerTLSCert, WorkerTLSKey: c.WorkerTLSKey, Cloud: c.TemporalCloud,
	}
}

// temporalClusters contains the additional clusters.
type temporalClusters []TemporalCluster

// Set implements pflag.Value.
func (t *temporalClusters) Set(text string) (err error) {
	*t, err = parseObjects[TemporalCluster](text, "clusters")
	return err
}

// String implements pflag.Value. Set accepts the result.
func (t *temporalClusters) String() string { return formatObjects(*t) }

func (t *temporalClusters) objects() any { return []TemporalCluster(*t) }

// Type implements pflag.Value.
func (t *temporalClusters) Type() string { return "list" }

var clusterName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

// check returns the first broken rule.
func (t *temporalClusters) check() error {
	var broken error
	names := map[string]bool{}
	for _, c := range *t {
		require := func(ok bool, setting, rule string) {
			if !ok && broken == nil {
				broken = fmt.Errorf("must have valid clusters: %s of the cluster %q %s", setting, c.Name, rule)
			}
		}
		require(clusterName.MatchString(c.Name), "name", "must be 1 to 63 lower-case letters, digits or '-', beginning with a letter")
		require(!names[c.Name], "name", "occurs twice")
		require(isAddress(c.AddressOf("namespace")) && !strings.HasPrefix(c.Address, ":"), "address", "must be host:port such as temporal.example.com:7233")
		c.check(require, "")
		names[c.Name] = true
	}
	return broken
}
