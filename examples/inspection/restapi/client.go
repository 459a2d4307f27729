// Package restapi is a small hand-written client of the service's REST API, Shape A (v2022-10-08). It holds only the
// operations that the inspection worker and its driver need, each named as in the API's contract.
package restapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	version        = "/v2022-10-08"
	maxAnswerBytes = 16 << 20
	timeout        = 15 * time.Second
)

// Credentials is the value of the Authorization header. It never appears in errors.
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

// Client calls the service. It tries once: Temporal repeats activities, and the worker the steps of its start. It is
// safe for concurrent use.
type Client struct {
	base   string
	header string
	http   *http.Client
}

// New returns a client of the service at an http or https address, without calling it. roots verify an https address;
// nil means the system's.
func New(endpoint string, credentials Credentials, roots *x509.CertPool) (*Client, error) {
	parsed, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("parsing the endpoint: %w", err)
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return nil, fmt.Errorf("endpoint %q is not an http or https address", endpoint)
	}
	return &Client{
		base:   strings.TrimSuffix(strings.TrimRight(endpoint, "/"), version) + version,
		header: credentials.header,
		http: &http.Client{
			Timeout: timeout,
			Transport: &http.Transport{
				Proxy:             http.ProxyFromEnvironment,
				TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
				ForceAttemptHTTP2: true,
				IdleConnTimeout:   time.Minute,
			},
			// The API never redirects: following one could carry the credentials elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// CloseIdleConnections closes connections kept for reuse.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

// call is one operation: what to send, nil for nothing, and where its answer goes.
type call struct {
	operation string
	method    string
	path      string
	query     url.Values
	in, out   any
}

// do sends the call. An answer outside 2xx is a *ResponseError.
func (c *Client) do(ctx context.Context, what call) (http.Header, error) {
	header, err := c.send(ctx, what)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what.operation, err)
	}
	return header, nil
}

func (c *Client) send(ctx context.Context, what call) (http.Header, error) {
	var body io.Reader
	if what.in != nil {
		encoded, err := json.Marshal(what.in)
		if err != nil {
			return nil, fmt.Errorf("encoding the request: %w", err)
		}
		body = bytes.NewReader(encoded)
	}
	target := c.base + what.path
	if len(what.query) > 0 {
		target += "?" + what.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, what.method, target, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", c.header)
	request.Header.Set("Prefer", "handling=strict")
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, withoutQuery(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, newResponseError(response.StatusCode, answer)
	}
	if what.out != nil {
		if err := json.Unmarshal(answer, what.out); err != nil {
			return nil, fmt.Errorf("decoding the answer: %w", err)
		}
	}
	return response.Header, nil
}
