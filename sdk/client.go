package procession

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/procession-dev/procession/sdk/rest"
	"github.com/procession-dev/procession/sdk/transport"
)

const (
	version          = "/v2024-06-14"
	mediaJSON        = "application/json"
	mediaBytes       = "application/octet-stream"
	maxAnswerBytes   = 16 << 20
	defaultAttempts  = 4
	defaultTimeout   = 15 * time.Second
	defaultFirstWait = 200 * time.Millisecond
	defaultMaxWait   = 5 * time.Second
)

// Credentials is the value of the Authorization header. It never appears in errors or logs.
type Credentials struct{ header string }

// ClientCredentials authenticates an application by its id and secret. NewClient refuses empty ones.
func ClientCredentials(id, secret string) Credentials {
	if id == "" || secret == "" {
		return Credentials{}
	}
	return Credentials{header: "Bearer " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
}

// BearerToken authenticates by a token that is sent as it is, such as a user's personal access token. NewClient refuses
// an empty one.
func BearerToken(token string) Credentials {
	if token == "" {
		return Credentials{}
	}
	return Credentials{header: "Bearer " + token}
}

// ClientConfig configures the connection to the service. Only Endpoint and Credentials are required.
type ClientConfig struct {
	// Endpoint is the https address of the service; the path of the version is added when it is missing. Addresses on the
	// loopback may be http.
	Endpoint    string
	Credentials Credentials
	// ExposeCredentials allows http to other machines. Every host on the way can then read the credentials and all data,
	// and act as the application.
	ExposeCredentials bool
	// RootCAs verifies an https endpoint; nil means the system's roots. See LoadCAs.
	RootCAs *x509.CertPool
	// Attempts bounds the tries of one call (default 4; 1 means no retry).
	Attempts int
	// Timeout bounds one attempt (default 15 s). For documents it ends when the first byte has arrived.
	Timeout time.Duration
	// FirstWait and MaxWait bound the doubling pause between attempts (defaults 200 ms and 5 s).
	FirstWait, MaxWait time.Duration
	// Wrap, when set, wraps the transport of all calls: for traces and metrics, otelhttp.NewTransport for instance.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Logger gets a line for each retry; nil means none.
	Logger *slog.Logger
}

// Client calls the REST API. It embeds rest.Client, which is generated from the contract of the API. Decode reads the
// responses:
//
//	process, err := procession.Decode[rest.Process](client.RetrieveProcess(ctx, id))
//
// A response other than 2xx is a *ResponseError. Transient failures (no connection, 408, 429, most of 5xx) are retried.
// All operations may be retried: creations carry an id, and other writes set a state. A Client is safe for concurrent use.
type Client struct {
	*rest.Client

	endpoint  string
	header    string
	http      *http.Client
	attempts  int
	timeout   time.Duration
	firstWait time.Duration
	maxWait   time.Duration
	logger    *slog.Logger
}

// NewClient checks the configuration and returns a client. It does not call the service.
func NewClient(cfg ClientConfig) (*Client, error) {
	if err := transport.CheckEndpoint(cfg.Endpoint, cfg.ExposeCredentials); err != nil {
		if errors.Is(err, transport.ErrExposed) {
			return nil, fmt.Errorf("the endpoint %w; ExposeCredentials allows it", err)
		}
		return nil, fmt.Errorf("the endpoint %w", err)
	}
	if cfg.Credentials.header == "" {
		return nil, errors.New("the credentials must be an id and a secret, or a token: none of these may be empty")
	}
	var sender http.RoundTripper = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     transport.NewTLS(cfg.RootCAs),
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
	}
	if cfg.Wrap != nil {
		sender = cfg.Wrap(sender)
	}
	c := &Client{
		endpoint: strings.TrimSuffix(strings.TrimRight(cfg.Endpoint, "/"), version),
		header:   cfg.Credentials.header,
		http: &http.Client{
			Transport: sender,
			// The API never redirects: following one could carry the credentials elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		attempts:  orDefault(cfg.Attempts, defaultAttempts),
		timeout:   orDefault(cfg.Timeout, defaultTimeout),
		firstWait: orDefault(cfg.FirstWait, defaultFirstWait),
		maxWait:   orDefault(cfg.MaxWait, defaultMaxWait),
		logger:    orDefault(cfg.Logger, slog.New(slog.DiscardHandler)),
	}
	var err error
	c.Client, err = rest.NewClient(c.endpoint+version, rest.WithHTTPClient(c))
	return c, err
}

// LoadCAs returns the system's roots plus the PEM certificates of file. It fails when file holds no certificate.
func LoadCAs(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file) //nolint:gosec // the operator names the file on the command line
	if err != nil {
		return nil, fmt.Errorf("reading the CA file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("CA file %s holds no PEM certificate", file)
	}
	return pool, nil
}

// Endpoint returns the address of the service, without the path of a version.
func (c *Client) Endpoint() string { return c.endpoint }

// Close closes connections kept for reuse.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Decode reads the answer of an operation. It takes the results of the call as they are and passes an error on.
func Decode[T any](response *http.Response, err error) (T, error) {
	var value T
	if err != nil {
		return value, err
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(&value); err != nil {
		return value, fmt.Errorf("%s: decoding the answer: %w", nameOf(response.Request), err)
	}
	return value, nil
}

// Do sends a request with the client's credentials, in several attempts where that is needed, and returns an answer of
// 2xx. It makes a Client the HTTP client of other generated clients, such as one of the older version of the API.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	request.Header.Set("Authorization", c.header)
	if request.Header.Get("Prefer") == "" {
		request.Header.Set("Prefer", "handling=strict")
	}
	wait := c.firstWait
	for attempt := 1; ; attempt++ {
		response, err := c.sendOnce(request)
		if err == nil {
			return response, nil
		}
		err = fmt.Errorf("%s: %w", nameOf(request), err)
		if attempt >= c.attempts || !Temporary(err) || ctx.Err() != nil || request.Body != nil && request.GetBody == nil {
			return nil, err
		}
		pause := max(wait, retryAfter(err))
		c.logger.WarnContext(ctx, "REST call did not succeed, trying again",
			slog.Int("attempt", attempt), slog.Duration("pause", pause), slog.Any("error", err))
		if sleep(ctx, pause) != nil {
			return nil, err
		}
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
		wait = min(2*wait, c.maxWait)
	}
}

// sendOnce sends a request without retries. It reads a body in JSON into memory. The body of a document remains a stream, which
// the timeout of the attempt does not bound.
func (c *Client) sendOnce(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	late := time.AfterFunc(c.timeout, cancel)
	response, err := c.http.Do(request.WithContext(ctx)) //nolint:gosec // the operator names the endpoint
	if err != nil {
		cancel()
		if !late.Stop() && request.Context().Err() == nil {
			err = fmt.Errorf("no answer within %s", c.timeout)
		}
		return nil, &networkError{withoutURL(err)}
	}
	good := response.StatusCode >= 200 && response.StatusCode <= 299
	if good && !strings.HasPrefix(response.Header.Get("Content-Type"), mediaJSON) {
		late.Stop()
		response.Body = &document{response.Body, cancel}
		return response, nil
	}
	defer cancel()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	_ = response.Body.Close()
	switch {
	case err != nil:
		return nil, &networkError{err}
	case !good:
		return nil, newResponseError(response, answer)
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	return response, nil
}

// document is the body of an answer that is read while it arrives.
type document struct {
	io.ReadCloser

	cancel context.CancelFunc
}

// Close implements io.Closer.
func (d *document) Close() error {
	defer d.cancel()
	return d.ReadCloser.Close()
}

// nameOf returns the request in errors and logs. Queries stay out of it: some hold tokens.
func nameOf(request *http.Request) string { return request.Method + " " + request.URL.Path }

// withoutURL returns the reason of a failed call without its address.
func withoutURL(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// sleep waits for d, or returns the context's error as soon as ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter returns the pause that an answer asks for, in the header's form with seconds; anything else counts as none.
func retryAfter(err error) time.Duration {
	refused, ok := errors.AsType[*ResponseError](err)
	if !ok {
		return 0
	}
	seconds, err := strconv.Atoi(refused.retryAfter)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
