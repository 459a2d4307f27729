package config

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/domain/resource"
)

// FileFlag names the file of settings. It is not a setting of the file itself.
const FileFlag = "config"

// variablePrefix is the beginning of the environment variables of settings.
const variablePrefix = "PROCESSION_"

// variableName returns the environment variable of a setting.
func variableName(setting string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

// currentName returns the present name of a setting that was renamed, "" for any other name.
func currentName(setting string) string {
	return map[string]string{
		"listen-admin": "listen-health", "listen-management": "listen-administration", "poller-patience": "poller-timeout",
		"temporal-ca-file": "temporal-tls-ca",
	}[setting]
}

// otherVariables are the variables with the prefix that are no settings of the service: variables of its client commands and
// of its tests, and of temporal-server.
var otherVariables = []string{ //nolint:gochecknoglobals // a table that is never changed
	"SERVER", "CA_FILE", "TOKEN", "TOKEN_FILE", "CONTEXT", "JWKS_URL",
	"TEMPORAL_CONFIG", "TEMPORAL_LISTEN", "TEMPORAL_METRICS_LISTEN", "TEMPORAL_SERVICES", "TEMPORAL_ADVERTISE", "TEMPORAL_PORTS",
	"TEMPORAL_INTERNAL_CERTIFICATE", "TEMPORAL_STORE", "TEMPORAL_DATABASE_URL", "TEMPORAL_DATABASE", "TEMPORAL_VISIBILITY_DATABASE",
	"TEMPORAL_DATABASE_CONNECTIONS", "TEMPORAL_HISTORY_SHARDS", "TEMPORAL_TASK_QUEUE_PARTITIONS", "TEMPORAL_JWKS_URL",
	"TEMPORAL_JWKS_REFRESH", "TEMPORAL_REVOCATIONS_URL", "TEMPORAL_REVOCATIONS_REFRESH", "TEMPORAL_PUBLISHED_MAX_AGE",
	"TEMPORAL_ALLOW_PLAIN_HTTP", "TEMPORAL_ENGINE_METHODS", "TEMPORAL_ENGINE_NEXUS_ENDPOINTS", "TEMPORAL_CHECK_COMMANDS",
	"TEMPORAL_SYSTEM_WORKERS", "TEMPORAL_CLUSTER_NAME", "TEMPORAL_CLUSTER_NUMBER", "TEMPORAL_ISSUER", "TEMPORAL_CLIENT_CA", "TEMPORAL_TLS_REFRESH", "TEMPORAL_LOG_LEVEL",
	"TEMPORAL_VISIBILITY", "TEMPORAL_UPDATE_SCHEMA", "TEMPORAL_ALLOW_PLAIN_STORES",
	"TEMPORAL_CASSANDRA_HOSTS", "TEMPORAL_CASSANDRA_PORT", "TEMPORAL_CASSANDRA_KEYSPACE", "TEMPORAL_CASSANDRA_USER",
	"TEMPORAL_CASSANDRA_PASSWORD_FILE", "TEMPORAL_CASSANDRA_TLS", "TEMPORAL_CASSANDRA_TLS_CA", "TEMPORAL_CASSANDRA_TLS_CERT",
	"TEMPORAL_CASSANDRA_TLS_KEY", "TEMPORAL_CASSANDRA_TLS_SERVER_NAME", "TEMPORAL_CASSANDRA_DATACENTER", "TEMPORAL_CASSANDRA_REPLICATION",
	"TEMPORAL_CASSANDRA_CONSISTENCY", "TEMPORAL_CASSANDRA_SERIAL_CONSISTENCY", "TEMPORAL_CASSANDRA_CONNECTIONS",
	"TEMPORAL_OPENSEARCH_URL", "TEMPORAL_OPENSEARCH_INDEX", "TEMPORAL_OPENSEARCH_SHARDS", "TEMPORAL_OPENSEARCH_USER",
	"TEMPORAL_OPENSEARCH_PASSWORD_FILE", "TEMPORAL_OPENSEARCH_TLS_CA", "TEMPORAL_OPENSEARCH_TLS_CERT", "TEMPORAL_OPENSEARCH_TLS_KEY",
	"TEMPORAL_OPENSEARCH_TLS_SERVER_NAME",
}

// otherPattern matches further variables with the prefix: settings of workers by the SDK, and variables that Kubernetes sets
// in each container for a Service named procession or procession-….
var otherPattern = regexp.MustCompile(
	`^PROCESSION_(WORKER_\w+|TEST_\w+|(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?))$`)

// checkVariables refuses environment variables that begin like variables of settings and are none.
func checkVariables(settings []string) error {
	names := []string{variableName(FileFlag)}
	for _, setting := range settings {
		names = append(names, variableName(setting))
	}
	var wrong []error
	for _, text := range os.Environ() {
		name, value, _ := strings.Cut(text, "=")
		suffix, ok := strings.CutPrefix(name, variablePrefix)
		if !ok || slices.Contains(names, name) || slices.Contains(otherVariables, suffix) || otherPattern.MatchString(name) {
			continue
		}
		setting := strings.ToLower(strings.ReplaceAll(suffix, "_", "-"))
		if current := currentName(setting); current != "" {
			if value != "" {
				wrong = append(wrong, fmt.Errorf("%s is now %s", name, variableName(current)))
			}
			continue
		}
		wrong = append(wrong, fmt.Errorf("unknown variable %s%s", name, resource.DidYouMean(name, names, "")))
	}
	return errors.Join(wrong...)
}

// setVariable sets a setting to its environment variable, if there is one.
func setVariable(setting string, value pflag.Value) error {
	text, ok := os.LookupEnv(variableName(setting))
	if !ok {
		return nil
	}
	before := value.String()
	err := value.Set(text)
	if err == nil {
		return nil
	}
	if text == "" {
		return value.Set(before)
	}
	return err
}
