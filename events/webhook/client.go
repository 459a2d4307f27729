package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/procession-dev/procession/internal/tlspolicy"
)

const (
	// AttemptTimeout is the default time from the beginning of an attempt within
	// which a receiver must answer with a status.
	AttemptTimeout = 15 * time.Second
	// maxAnswerHeader bounds the header of an answer, in bytes.
	maxAnswerHeader = 64 << 10

	userAgent = "Procession-Webhooks"
)

// ErrNoSecret is returned by Send when a delivery has no secret to sign it with.
var ErrNoSecret = errors.New("there is no secret to sign a webhook with")

// ClientConfig configures a Client.
type ClientConfig struct {
	// Guard decides to which addresses events may be sent.
	Guard *Guard
	// Clock is used for the timestamps of signatures and to measure latencies.
	Clock func() time.Time
	// RootCAs are the authorities of receivers' certificates; nil means the system's.
	RootCAs *x509.CertPool
	// Timeout bounds an attempt; 0 is AttemptTimeout.
	Timeout time.Duration
}

// Client makes attempts to deliver events. It is safe for concurrent use.
//
// It uses no proxy, follows no redirect, keeps no cookies and asks for no
// compression. It speaks HTTP/1.1, in which each attempt has its own connection:
// attempts at one receiver cannot hold each other up. Connections are kept for
// later attempts at the same host, and their number is not limited.
type Client struct {
	guard     *Guard
	clock     func() time.Time
	timeout   time.Duration
	tls       *tls.Config
	transport *http.Transport
}

// NewClient returns a Client. It holds idle connections until Close is called.
func NewClient(config ClientConfig) *Client {
	c := &Client{guard: config.Guard, clock: config.Clock, timeout: config.Timeout}
	if c.timeout == 0 {
		c.timeout = AttemptTimeout
	}
	c.tls = tlspolicy.New()
	c.tls.RootCAs, c.tls.Time, c.tls.NextProtos = config.RootCAs, config.Clock, []string{"http/1.1"}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	c.transport = &http.Transport{
		Proxy:                  nil,
		DialContext:            c.guard.DialContext,
		DialTLSContext:         c.dialTLS,
		Protocols:              protocols,
		DisableCompression:     true,
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxAnswerHeader,
	}
	return c
}

// Close closes the idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Delivery is an event that is sent to a receiver.
type Delivery struct {
	// URL is the URL of the receiver.
	URL string
	// ID is the id of the event, the same on every attempt. It must not contain a
	// full stop.
	ID string
	// Body is the event as JSON.
	Body []byte
	// Secrets are the secrets that are valid now; the delivery is signed with each.
	Secrets []Secret
}

// Send makes one attempt, a signed POST, and returns its outcome. An error means that
// no attempt was made: ErrNoSecret, or ctx ended before an answer. It does not count
// against the receiver.
//
// If the receiver has closed a kept connection, the attempt opens another one. Results
// and errors contain no part of the URL but the host.
func (c *Client) Send(ctx context.Context, d Delivery) (Result, error) {
	if !canSign(d.Secrets) {
		return Result{}, ErrNoSecret
	}
	now := c.clock()
	header := http.Header{}
	header.Set(HeaderID, d.ID)
	header.Set(HeaderTimestamp, Timestamp(now))
	header.Set(HeaderSignature, Sign(d.ID, now, d.Body, d.Secrets...))
	return c.post(ctx, d.URL, d.Body, header, now)
}

// Post makes one attempt to post JSON without a signature. Results and errors are as for Send.
func (c *Client) Post(ctx context.Context, url string, body []byte) (Result, error) {
	return c.post(ctx, url, body, http.Header{}, c.clock())
}

// post makes one attempt that begins at begun.
func (c *Client) post(ctx context.Context, address string, body []byte, header http.Header, begun time.Time) (Result, error) {
	target, err := c.guard.parseURL(address)
	if err != nil {
		return Result{Failure: FailureRefused, Detail: err.Error()}, nil
	}
	attempt, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	response, err := c.transport.RoundTrip(newRequest(attempt, target, body, header))
	answered := c.clock()
	if err != nil {
		if ctx.Err() != nil {
			return Result{}, fmt.Errorf("sending a webhook to %s: %w", target.Hostname(), context.Cause(ctx))
		}
		result := classifyFailure(err, attempt.Err() != nil)
		result.Latency = answered.Sub(begun)
		return result, nil
	}
	defer response.Body.Close()
	result := Result{Status: response.StatusCode, Latency: answered.Sub(begun), Answer: readAnswer(response)}
	if !result.Delivered() {
		result.Failure = FailureStatus
		result.Detail = statusDetail(response.StatusCode)
		result.RetryAfter = retryAfter(response.Header.Get("Retry-After"), answered)
	}
	return result, nil
}

func canSign(secrets []Secret) bool {
	for _, secret := range secrets {
		if secret.key.Reveal() == "" {
			return false
		}
	}
	return len(secrets) > 0
}

func newRequest(ctx context.Context, target *url.URL, body []byte, header http.Header) *http.Request {
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", userAgent)
	// With a nil value it is not sent, but lets the transport repeat the request on a
	// new connection when the receiver has closed a kept one.
	header["Idempotency-Key"] = nil
	request := &http.Request{
		Method: http.MethodPost, URL: target, Host: target.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)),
	}
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return request.WithContext(ctx)
}

// dialTLS opens a connection and performs the TLS handshake, with distinct errors.
func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := c.guard.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dialling a receiver: %w", err), plain.Close())
	}
	config := c.tls.Clone()
	config.ServerName = host
	// The transport may use the connection for other attempts after this one has ended.
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	sealed := tls.Client(plain, config)
	if err := sealed.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, &handshakeError{cause: err}
	}
	return sealed, nil
}

// handshakeError is an error of a TLS handshake.
type handshakeError struct{ cause error }

func (e *handshakeError) Error() string { return "TLS handshake: " + e.cause.Error() }
func (e *handshakeError) Unwrap() error { return e.cause }
