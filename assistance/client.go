package assistance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/tlspolicy"
)

// Config configures a Client.
type Config struct {
	// BaseURL is the address above /chat/completions and /embeddings, such as http://127.0.0.1:11434/v1.
	BaseURL string
	// Key is the bearer token, "" for none.
	Key domain.Secret
	// ChatModel is the model for requests that name none.
	ChatModel string
	// Embeddings is the embedding model.
	Embeddings string
	// Temperature is the default of requests, the model's own if nil.
	Temperature *float64
	// MaxTokens limits an answer unless it is 0.
	MaxTokens int
	// ChatTimeout and EmbeddingTimeout limit one call, two and one minutes by default.
	ChatTimeout      time.Duration
	EmbeddingTimeout time.Duration
	// Transport makes the connections. The default ignores proxies of the environment.
	Transport http.RoundTripper
	// Clock interprets dates in Retry-After.
	Clock func() time.Time
}

const (
	chatTimeout      = 2 * time.Minute
	embeddingTimeout = time.Minute
	dialTimeout      = 10 * time.Second
	// maxBody limits the read bytes of an answer, maxErrorBody of an error.
	maxBody      = 16 << 20
	maxErrorBody = 64 << 10
	// maxProviderText is the maximum length of a provider's error text.
	maxProviderText = 300
)

// Client is a provider over HTTP with the protocol of OpenAI. It is safe for concurrent use. It does not follow
// redirects and does not retry.
type Client struct {
	config Config
	base   string
	http   *http.Client
	// plain is true once the server has refused a schema in the request.
	plain atomic.Bool
}

var _ Provider = (*Client)(nil)

// NewClient returns a client, or an error for an unusable configuration.
func NewClient(config Config) (*Client, error) {
	base, err := url.Parse(config.BaseURL)
	switch {
	case err != nil:
		return nil, errors.New("the address of the provider is not a URL")
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, errors.New("the address of the provider does not begin with http:// or https:// and a host")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the address of the provider has more than a path: the key has a setting of its own")
	case config.ChatModel == "" || config.Embeddings == "":
		return nil, errors.New("the provider needs a model that answers and one that embeds")
	case config.Clock == nil:
		return nil, errors.New("the provider needs a clock")
	case strings.ContainsAny(config.Key.Reveal(), "\r\n\x00"):
		return nil, errors.New("the key of the provider has more than one line")
	}
	if config.ChatTimeout <= 0 {
		config.ChatTimeout = chatTimeout
	}
	if config.EmbeddingTimeout <= 0 {
		config.EmbeddingTimeout = embeddingTimeout
	}
	if config.Transport == nil {
		config.Transport = &http.Transport{
			DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSClientConfig:       tlspolicy.New(),
			TLSHandshakeTimeout:   dialTimeout,
			ForceAttemptHTTP2:     true,
			MaxIdleConnsPerHost:   8,
			IdleConnTimeout:       90 * time.Second,
			ExpectContinueTimeout: time.Second,
		}
	}
	return &Client{
		config: config,
		base:   strings.TrimRight(config.BaseURL, "/"),
		http: &http.Client{
			Transport:     config.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Model returns the configured model, or the client's default.
func (c *Client) Model(configured string) string {
	if configured != "" {
		return configured
	}
	return c.config.ChatModel
}

// EmbeddingModel returns the model that embeds.
func (c *Client) EmbeddingModel() string { return c.config.Embeddings }

// post sends a request and decodes the answer. It returns an *Error or the error of the context.
func (c *Client) post(ctx context.Context, path string, timeout time.Duration, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("writing a request to the provider: %w", err)
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(bounded, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address of the provider is not a URL")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if key := c.config.Key.Reveal(); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return c.wrapError(ctx, err)
	}
	// The rest is not read: a new connection is cheaper than an endless body.
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody)) // As much as there is.
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return c.statusError(response, text)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return c.wrapError(ctx, err)
	}
	return c.decodeAnswer(response, text, answer)
}

// decodeAnswer reads the body of an answer.
func (c *Client) decodeAnswer(response *http.Response, text []byte, answer any) error {
	invalid := func(message string) error {
		return &Error{Code: CodeInvalidAnswer, Message: message, Status: response.StatusCode}
	}
	if len(text) > maxBody {
		return invalid("the answer of the provider is too large")
	}
	if header := response.Header.Get("Content-Type"); header != "" {
		// Some servers omit the content type.
		mediaType, _, err := mime.ParseMediaType(header)
		if err != nil || mediaType != "application/json" && mediaType != "text/plain" && !strings.HasSuffix(mediaType, "+json") {
			return invalid("the provider answered with something other than JSON")
		}
	}
	if err := json.Unmarshal(text, answer); err != nil {
		if said := c.providerText(text); said != "" {
			return invalid("the provider answered with an error: " + said)
		}
		return invalid("the answer of the provider is not the JSON that was expected")
	}
	return nil
}

// wrapError returns the error of a call without an answer. Errors of the network contain the address and are
// therefore only the cause.
func (c *Client) wrapError(ctx context.Context, err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	var network net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return &Error{Code: CodeTimeout, Message: "the provider did not answer in time", Cause: err}
	}
	return &Error{Code: CodeUnavailable, Message: "the provider cannot be reached", Cause: err}
}
