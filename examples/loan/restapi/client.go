// Package restapi is a small hand-written client of the service's REST API, Shape B (v2024-06-14). It holds only the
// operations that the loan worker and its driver need, each named as in the API's contract.
package restapi

import (
	"bytes"
	"context"
	"crypto/tls"
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
)

const (
	version          = "/v2024-06-14"
	mediaJSON        = "application/json"
	mediaJSONPatch   = "application/json-patch+json"
	mediaBytes       = "application/octet-stream"
	maxAnswerBytes   = 16 << 20
	defaultAttempts  = 4
	defaultTimeout   = 15 * time.Second
	defaultFirstWait = 200 * time.Millisecond
	defaultMaxWait   = 5 * time.Second
)

// Credentials is the value of the Authorization header. It never appears in errors or logs.
type Credentials struct{ header string }

// ClientCredentials authenticates an application by its id and secret, in the form every public SDK sends: the
// Bearer scheme around base64(id:secret).
func ClientCredentials(id, secret string) Credentials {
	return Credentials{header: "Bearer " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
}

// BearerToken authenticates by a token sent as it is, such as a user's personal access token.
func BearerToken(token string) Credentials {
	return Credentials{header: "Bearer " + token}
}

// Config says how to reach the service. Zero values of the optional fields mean the defaults named beside them.
type Config struct {
	// Endpoint is the http or https address of the service; the version path is added when it is missing.
	Endpoint    string
	Credentials Credentials
	// RootCAs verifies an https endpoint; nil means the system's roots.
	RootCAs *x509.CertPool
	// Attempts bounds the tries of one call (default 4; 1 means no retry).
	Attempts int
	// Timeout bounds one attempt (default 15 s).
	Timeout time.Duration
	// FirstWait and MaxWait bound the doubling pause between attempts (defaults 200 ms and 5 s).
	FirstWait, MaxWait time.Duration
	// Logger hears of every retry; nil means silence.
	Logger *slog.Logger
}

// Client calls the service. It is safe for concurrent use.
type Client struct {
	base      string
	header    string
	http      *http.Client
	attempts  int
	firstWait time.Duration
	maxWait   time.Duration
	logger    *slog.Logger
}

// New checks the configuration and returns a client. It does not call the service.
func New(cfg Config) (*Client, error) {
	endpoint, err := url.Parse(cfg.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("parsing the endpoint: %w", err)
	}
	if endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Host == "" {
		return nil, fmt.Errorf("endpoint %q is not an http or https address", cfg.Endpoint)
	}
	base := strings.TrimRight(cfg.Endpoint, "/")
	if !strings.HasSuffix(base, version) {
		base += version
	}
	logger := cfg.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Client{
		base:   base,
		header: cfg.Credentials.header,
		http: &http.Client{
			Timeout: orDefault(cfg.Timeout, defaultTimeout),
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs},
				ForceAttemptHTTP2:   true,
				MaxIdleConnsPerHost: 16,
				IdleConnTimeout:     90 * time.Second,
			},
			// The API never redirects: following one could carry the credentials elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		attempts:  orDefault(cfg.Attempts, defaultAttempts),
		firstWait: orDefault(cfg.FirstWait, defaultFirstWait),
		maxWait:   orDefault(cfg.MaxWait, defaultMaxWait),
		logger:    logger,
	}, nil
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

// CloseIdleConnections lets go of connections kept for reuse.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// call is one operation: what to send and where its answer goes.
type call struct {
	operation string
	method    string
	path      string
	query     url.Values
	mediaType string
	in        any
	// body is sent as it is, in place of in.
	body []byte
	out  any
}

// reply is the part of an answer that is not in its body.
type reply struct {
	status int
	header http.Header
}

// do sends the call, retrying while the failure is temporary (network, 408, 429, 5xx) and attempts remain. Every
// operation of this client may be repeated safely: creations carry an id, an upload that nothing came to refer to is
// deleted by the service, the rest set a state. A final answer outside 2xx is a *ResponseError.
func (c *Client) do(ctx context.Context, what call) (reply, error) {
	body := what.body
	if what.in != nil {
		var err error
		if body, err = json.Marshal(what.in); err != nil {
			return reply{}, fmt.Errorf("%s: encoding the request: %w", what.operation, err)
		}
	}
	wait := c.firstWait
	for attempt := 1; ; attempt++ {
		got, err := c.once(ctx, what, body)
		if err == nil {
			return got, nil
		}
		if attempt >= c.attempts || !temporary(err) || ctx.Err() != nil {
			return got, fmt.Errorf("%s: %w", what.operation, err)
		}
		pause := max(wait, retryAfter(got.header))
		c.logger.WarnContext(ctx, "REST call did not succeed, trying again", slog.String("operation", what.operation),
			slog.Int("attempt", attempt), slog.Duration("pause", pause), slog.Any("error", err))
		if err := Wait(ctx, pause); err != nil {
			return got, fmt.Errorf("%s: %w", what.operation, err)
		}
		wait = min(2*wait, c.maxWait)
	}
}

func (c *Client) once(ctx context.Context, what call, body []byte) (reply, error) {
	target := c.base + what.path
	if len(what.query) > 0 {
		target += "?" + what.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, what.method, target, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Authorization", c.header)
	request.Header.Set("Prefer", "handling=strict")
	request.Header.Set("Accept", mediaJSON)
	if what.mediaType != "" {
		request.Header.Set("Content-Type", what.mediaType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return reply{}, &networkError{err}
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	got := reply{status: response.StatusCode, header: response.Header}
	if err != nil {
		return got, &networkError{err}
	}
	if got.status < 200 || got.status > 299 {
		return got, newResponseError(what.operation, got.status, answer)
	}
	if what.out != nil {
		if err := json.Unmarshal(answer, what.out); err != nil {
			return got, fmt.Errorf("decoding the answer: %w", err)
		}
	}
	return got, nil
}

// Wait pauses for d, or returns the context's error as soon as ctx ends.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter reads a Retry-After header in its seconds form; anything else counts as absent.
func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// networkError marks a failure below HTTP, after which nothing is known about the request's effect.
type networkError struct{ cause error }

func (e *networkError) Error() string { return e.cause.Error() }
func (e *networkError) Unwrap() error { return e.cause }

func temporary(err error) bool {
	if refused, ok := errors.AsType[*ResponseError](err); ok {
		return refused.Temporary()
	}
	_, broken := errors.AsType[*networkError](err)
	return broken
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
