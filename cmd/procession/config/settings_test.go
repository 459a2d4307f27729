package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// anyText are settings without an invalid value that can be found without the files and programs that they name, with the reason.
var anyText = map[string]string{
	"tls-cert": "file", "tls-key": "file", "temporal-tls-ca": "file", "temporal-tls-cert": "file", "temporal-tls-key": "file",
	"temporal-cloud-api-key-file": "file", "temporal-cloud-tls-ca": "file",
	"temporal-api-key-file": "file", "temporal-worker-api-key-file": "file", "temporal-worker-tls-cert": "file", "temporal-worker-tls-key": "file",
	"temporal-tls-server-name": "name in a certificate", "seal-key-file": "file", "earlier-seal-key-files": "files",
	"assistance-key-file": "file", "assistance-model": "name of the provider", "assistance-embedding-model": "name of the provider",
	"smtp-user": "name at the server", "smtp-password-file": "file",
	"pdftotext": "program", "typst": "program", "form-fonts": "folders",
}

// invalidValues are values of settings that are not numbers, durations or booleans.
func invalidValues() map[string][]string {
	addresses := []string{"8391", "localhost", "localhost:http", "http://localhost:8080", "[::1:80"}
	return map[string][]string{
		"listen": addresses, "listen-tls": addresses, "listen-health": addresses, "listen-administration": addresses,
		"temporal-address":       append([]string{":7233"}, addresses...),
		"temporal-namespace":     {"my namespace"},
		"documents-url":          {"/var/docs", "var/docs", "file://docs", "http://docs", "s3:// bucket", "s3://me:hunter2@bucket"},
		"database-url":           {"db", "mysql://me:hunter2@db", "postgres://db:port/x"},
		"database-direct-url":    {"db"},
		"log-level":              {"noisy"},
		"log-format":             {"xml", "JSON"},
		"migrate":                {"always"},
		"personal-tokens":        {"some"},
		"shape-a-deprecated":     {"soon", "2027-13-01"},
		"shape-a-sunset":         {"2027"},
		"trusted-proxies":        {"10.0.0.0/8,proxy.example"},
		"cors-origins":           {"desk.example.com", "https://desk.example.com/path"},
		"public-url":             {"procession.example.com", "https://example.com/procession"},
		"allowed-hosts":          {"b.example:80"},
		"webhook-allow":          {"10.1.0.0/33"},
		"webhook-refuse":         {"example.com"},
		"temporal-clusters":      {"x", `[{"name": "x"}]`},
		"temporal-cloud-account": {"A1", "a.b"}, "temporal-cloud-regions": {"Frankfurt"},
		"temporal-cloud-authentication": {"password"}, "temporal-cloud-address": addresses,
		"oidc-issuers":    {"x", `[{"issuer": "http://a.example"}]`},
		"assistance-url":  {"models.example", "ftp://models.example"},
		"seal-key-keeper": {"vault://key"},
		"issuer":          {""},
		"smtp-address":    addresses,
		"smtp-tls":        {"ssl", "plain"},
		"mail-from":       {"Procession", "@example.com"},
	}
}

// invalid returns the invalid values of a setting.
func invalid(f *pflag.Flag) []string {
	if values, ok := invalidValues()[f.Name]; ok {
		return values
	}
	switch {
	case f.Value.Type() == "bool":
		return []string{"perhaps"}
	case f.Value.Type() == "duration":
		return []string{"soon", "5", "-1s"}
	case strings.HasPrefix(f.Value.Type(), "int"):
		return []string{"many", "1.5", "-1"}
	}
	return nil
}

// load loads the settings of a command line.
func load(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	var c Config
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.BindFlags(flags)
	DeferFlags(flags)
	require.NoError(t, flags.Parse(args))
	err := c.Load(flags)
	return c, err
}

// Each setting with an invalid value, from each place, is refused by a message with the names of the setting in each place.
func TestInvalidValuesOfEverySetting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "procession.yaml")
	var all []string
	everything := map[string]string{}
	new(Config).VisitSettings(func(f *pflag.Flag) {
		values := invalid(f)
		if len(values) == 0 {
			require.Contains(t, anyText, f.Name, "has no invalid value")
			return
		}
		places := fmt.Sprintf("(variable %s, key %s)", variableName(f.Name), f.Name)
		all = append(all, places)
		everything[f.Name] = values[0]
		for _, value := range values {
			_, err := load(t, "--"+f.Name+"="+value)
			require.ErrorContains(t, err, places, value)
			require.ErrorContains(t, err, "--"+f.Name+" ", value)
			require.NotContains(t, err.Error(), "hunter2", value)

			if value != "" || f.Value.Type() == "string" {
				t.Run(f.Name, func(t *testing.T) {
					t.Setenv(variableName(f.Name), value)
					_, err := load(t)
					require.ErrorContains(t, err, places, value)
				})
			}
			content, err := yaml.Marshal(map[string]string{f.Name: value})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, content, 0o600))
			_, err = load(t, "--config", file)
			require.ErrorContains(t, err, places, value)
		}
	})
	var args []string
	for name, value := range everything {
		args = append(args, "--"+name+"="+value)
	}
	_, err := load(t, args...)
	for _, places := range all {
		require.ErrorContains(t, err, places, "all faults are reported at once")
	}
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	_, err := load(t)
	require.NoError(t, err)
}

// A misspelt variable of any setting is refused, with the right name.
func TestMisspeltVariablesAreRefused(t *testing.T) {
	new(Config).VisitSettings(func(f *pflag.Flag) {
		t.Run(f.Name, func(t *testing.T) {
			t.Setenv(variableName(f.Name)+"X", "hunter2")
			_, err := load(t)
			require.ErrorContains(t, err, "unknown variable "+variableName(f.Name)+"X; did you mean PROCESSION_")
			require.NotContains(t, err.Error(), "hunter2")
		})
	})
	for _, name := range []string{
		"PROCESSION_SERVER", "PROCESSION_WORKER_CLIENT_ID", "PROCESSION_SERVICE_HOST", "PROCESSION_PORT", "PROCESSION_PORT_8080_TCP_ADDR",
		"PROCESSION_SERVICE_PORT_HTTP", "PROCESSION_TEMPORAL_PORT_7233_TCP", "PROCESSIONAL", "PROCESSION_TEMPORAL_JWKS_URL",
	} {
		t.Setenv(name, "tcp://10.0.0.1:8080")
	}
	_, err := load(t)
	require.NoError(t, err, "variables of other programs and of Kubernetes")
}

// The variables of temporal-server and of its flags are no misspelt settings of the service.
func TestVariablesOfTemporalServer(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../../temporal-server/internal/options/options.go")
	require.NoError(t, err)
	flags := regexp.MustCompile(`fs\.(?:String|\w*Var)\([^"\n]*"([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	require.Greater(t, len(flags), 20)
	// These two are variables of both programs, for the certificate that each of them presents.
	names := append(slices.Clone(otherVariables), "TEMPORAL_TLS_CERT", "TEMPORAL_TLS_KEY")
	for _, flag := range flags {
		require.Contains(t, names, strings.TrimPrefix(variableName("temporal-"+flag[1]), variablePrefix))
	}
}

// An empty variable is an empty value where the flag accepts one, and absent elsewhere.
func TestEmptyVariables(t *testing.T) {
	absent := map[string]bool{}
	new(Config).VisitSettings(func(f *pflag.Flag) {
		_, chosen := f.Value.(*choice)
		absent[f.Name] = chosen || f.Value.Type() != "string" && f.Value.Type() != "list"
		if f.Name != "issuer" { // which must not be empty
			t.Setenv(variableName(f.Name), "")
		}
	})
	t.Setenv("PROCESSION_LISTEN_TLS", ":8443")
	c, err := load(t)
	require.NoError(t, err)
	require.Empty(t, c.Listen)
	byDefault, err := new(Config).byName()
	require.NoError(t, err)
	got, err := c.byName()
	require.NoError(t, err)
	for name, isAbsent := range absent {
		switch {
		case isAbsent:
			require.Equal(t, byDefault[name], got[name], name)
		case name != "issuer" && name != "listen-tls":
			require.Empty(t, got[name], name)
		}
	}
}

// byName returns the settings by their names in the file.
func (c *Config) byName() (map[string]any, error) {
	if c.Issuer == "" {
		c.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	}
	text, err := c.YAML()
	if err != nil {
		return nil, err
	}
	settings := map[string]any{}
	return settings, yaml.Unmarshal(text, &settings)
}
