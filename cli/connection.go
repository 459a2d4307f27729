package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/api/admin/client"
	"github.com/procession-dev/procession/internal/tlspolicy"
	"github.com/procession-dev/procession/sdk/rest"
	"github.com/procession-dev/procession/sdk/transport"
)

const (
	defaultServer  = "http://127.0.0.1:8080"
	defaultTimeout = 30 * time.Second
	adminPath      = "/admin/v1"
	restPath       = "/v2024-06-14"
)

// Environment variables of flags.
const (
	variableServer    = "PROCESSION_SERVER"
	variableCAFile    = "PROCESSION_CA_FILE"
	variableToken     = "PROCESSION_TOKEN"
	variableTokenFile = "PROCESSION_TOKEN_FILE"
)

// bindConnection adds the flags for the address of the service and the credentials.
func bindConnection(f *pflag.FlagSet) {
	f.String("server", defaultServer, "`address` of the service; "+variableServer)
	f.String("ca-file", "",
		"PEM `file` with the certificate authorities to trust, instead of the system's; "+variableCAFile)
	f.String("token-file", "", "`file` with a personal access token, or with id:secret of an application; "+
		variableTokenFile+", or the token itself in "+variableToken)
	f.String("context", "", "`name` of the context to work in, see context --help; "+variableContext)
	f.Bool("insecure", false, "allow http to another machine, which shows the credentials to the network")
	f.Duration("timeout", defaultTimeout, "how long a request may take")
}

// settingOf returns the value of a flag, of its environment variable, or of the context, in
// this order.
func (env Environment) settingOf(flags *pflag.FlagSet, flag, variable, ofContext string) string {
	if !flags.Changed(flag) {
		if set, ok := env.LookupEnv(variable); ok && set != "" {
			return set
		}
		if ofContext != "" {
			return ofContext
		}
	}
	return flags.Lookup(flag).Value.String()
}

// defaultFromContext sets the default of the flag --tenant to the tenant of the context.
func defaultFromContext(flags *pflag.FlagSet) {
	// It fails only for an undefined flag.
	_ = flags.SetAnnotation("tenant", variableContext, nil)
}

// service contains the clients of the administration API and the REST API.
type service struct {
	*client.Client

	rest *rest.Client
	// address is the address of the service in messages.
	address string
}

// newSender returns the HTTP client for the service.
func newSender(roots *x509.CertPool, timeout time.Duration) *http.Client {
	settings := tlspolicy.New()
	settings.RootCAs = roots
	return &http.Client{
		Timeout:   timeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSClientConfig: settings},
		// The token is for the address that was given, and no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// connect returns clients for the service in the flags of bindConnection. It sends no
// request to the service; a sign-in about to expire is renewed at its issuer.
func (env Environment) connect(ctx context.Context, flags *pflag.FlagSet) (*service, error) {
	name, in, err := env.currentContext(flags)
	if err != nil {
		return nil, err
	}
	server := env.settingOf(flags, "server", variableServer, in.Server)
	if server != in.Server {
		in = &serverContext{} // settings of a context apply to its server only
	}
	insecure, err := flags.GetBool("insecure")
	if err != nil {
		return nil, err
	}
	timeout, err := flags.GetDuration("timeout")
	if err != nil {
		return nil, err
	}
	if timeout <= 0 {
		return nil, usageError("--timeout must be positive")
	}
	address, err := checkAddress(server, insecure)
	if err != nil {
		return nil, err
	}
	authorization, err := env.authorizationHeader(ctx, flags, name, in)
	if err != nil {
		return nil, err
	}
	roots, err := readAuthorities(env.settingOf(flags, "ca-file", variableCAFile, in.CAFile))
	if err != nil {
		return nil, err
	}
	if tenant := flags.Lookup("tenant"); in.Tenant != "" && tenant != nil && !tenant.Changed {
		if _, ok := tenant.Annotations[variableContext]; ok {
			if err := tenant.Value.Set(in.Tenant); err != nil {
				return nil, usageError("the tenant of the context: %w", err)
			}
		}
	}
	sender := newSender(roots, timeout)
	edit := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", authorization)
		// A service that does not know a filter must not answer with all there is.
		r.Header.Set("Prefer", "handling=strict")
		return nil
	}
	administration, err := client.NewClient(address+adminPath, client.WithHTTPClient(sender), client.WithRequestEditorFn(edit))
	if err != nil {
		return nil, fmt.Errorf("preparing a request to %s: %w", address, err)
	}
	work, err := rest.NewClient(address+restPath, rest.WithHTTPClient(sender), rest.WithRequestEditorFn(edit))
	if err != nil {
		return nil, fmt.Errorf("preparing a request to %s: %w", address, err)
	}
	return &service{Client: administration, rest: work, address: address}, nil
}

// checkAddress checks the address of the service and returns it without a slash
// at the end.
func checkAddress(address string, insecure bool) (string, error) {
	err := transport.CheckEndpoint(address, insecure)
	if errors.Is(err, transport.ErrExposed) {
		return "", usageError("--server %w; --insecure allows it", err)
	}
	if err != nil {
		return "", usageError("--server %w", err)
	}
	return strings.TrimRight(address, "/"), nil
}

// readAuthorities reads a PEM file; no file stands for the system's authorities.
func readAuthorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // a TLS configuration without authorities takes the system's
	}
	content, err := os.ReadFile(file) //nolint:gosec // the user says which file
	if err != nil {
		return nil, usageError("reading --ca-file: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, usageError("%s holds no certificate in PEM", file)
	}
	return roots, nil
}
