package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/webhook"
)

// localGuard lets deliveries reach this machine.
func localGuard(t *testing.T) *webhook.Guard {
	t.Helper()
	guard, err := webhook.NewGuard(webhook.Policy{Allow: []string{"127.0.0.0/8"}}, nil)
	require.NoError(t, err)
	return guard
}

// send makes one attempt with a client of its own.
func send(t *testing.T, address string) webhook.Result {
	t.Helper()
	client := newClient(t, webhook.ClientConfig{Guard: localGuard(t)})
	result, err := client.Send(t.Context(), deliveryTo(t, address))
	require.NoError(t, err)
	return result
}

// receiver serves a handler over HTTP and returns its URL.
func receiver(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// hang waits until the client has gone, which a server sees once it has read the
// body.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestSend(t *testing.T) {
	t.Parallel()
	secret, text := secretOf(t, []byte(strings.Repeat("s", 32)))
	old, oldText := secretOf(t, []byte(strings.Repeat("o", 32)))
	type request struct {
		method, target, host, body string
		header                     http.Header
	}
	got := make(chan request, 1)
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		got <- request{r.Method, r.RequestURI, r.Host, string(body), r.Header}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "taken")
	})
	client := newClient(t, webhook.ClientConfig{Guard: localGuard(t)})
	result, err := client.Send(t.Context(), webhook.Delivery{
		URL: address + "/a%2Fb?token=x", ID: "01970000-0000-7000-8000-0000000000e1", Body: []byte(`{"a":1}`),
		Secrets: []webhook.Secret{secret, old},
	})
	require.NoError(t, err)
	require.Positive(t, result.Latency)
	result.Latency = 0
	require.Equal(t, webhook.Result{Status: http.StatusAccepted, Answer: "taken"}, result)
	require.True(t, result.Delivered())

	sent := <-got
	require.Equal(t, http.MethodPost, sent.method)
	require.Equal(t, "/a%2Fb?token=x", sent.target)
	require.Equal(t, strings.TrimPrefix(address, "http://"), sent.host)
	require.Equal(t, `{"a":1}`, sent.body)
	require.Equal(t, "01970000-0000-7000-8000-0000000000e1", sent.header.Get("webhook-id"))
	for _, id := range []string{text, oldText} {
		require.NoError(t, consumer(t, id).Verify([]byte(sent.body), sent.header))
	}
	for _, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		sent.header.Del(name)
	}
	require.Equal(t, http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {"7"}, "User-Agent": {"Procession-Webhooks"},
	}, sent.header)
}

func TestSendUnsigned(t *testing.T) {
	t.Parallel()
	address := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	client := newClient(t, webhook.ClientConfig{Guard: localGuard(t)})
	good, _ := secretOf(t, []byte(strings.Repeat("s", 32)))
	for _, secrets := range [][]webhook.Secret{nil, {{}}, {good, {}}} {
		_, err := client.Send(t.Context(), webhook.Delivery{URL: address, ID: "id", Body: []byte("{}"), Secrets: secrets})
		require.ErrorIs(t, err, webhook.ErrNoSecret)
	}
}

func TestSendStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 202, 204, 206, 226, 299, 300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 429, 500, 502, 503, 504, 599} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			address := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(status)
			})
			result := send(t, address)
			require.Equal(t, status, result.Status)
			require.Equal(t, status < 300, result.Delivered())
			require.Equal(t, status == http.StatusGone, result.Gone())
			if status >= 300 {
				require.Equal(t, webhook.FailureStatus, result.Failure)
				require.Contains(t, result.Detail, fmt.Sprint(status))
			} else {
				require.Empty(t, result.Failure)
				require.Empty(t, result.Detail)
			}
		})
	}
}

func TestSendReportsRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, " 5 ": 5 * time.Second, "0": 0, "-1": 0, "1.5": 0, "soon": 0, "1e3": 0,
		"Tue, 03 Feb 2026 04:06:06 GMT": time.Minute, "Tuesday, 03-Feb-26 05:05:06 GMT": time.Hour,
		"Tue Feb  3 04:05:16 2026": 10 * time.Second, "Tue, 03 Feb 2026 04:00:00 GMT": 0,
		"99999999999999999999999999": 30 * 24 * time.Hour, "9223372036854775807": 30 * 24 * time.Hour,
		"Fri, 31 Dec 9999 23:59:59 GMT": 30 * 24 * time.Hour, "Mon, 01 Jan 0001 00:00:00 GMT": 0,
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			address := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", value)
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			client := webhook.NewClient(webhook.ClientConfig{Guard: localGuard(t), Clock: func() time.Time { return now }})
			t.Cleanup(client.Close)
			result, err := client.Send(t.Context(), deliveryTo(t, address))
			require.NoError(t, err)
			require.Equal(t, want, result.RetryAfter)
		})
	}
}

func TestSendKeepsTheAnswersBeginning(t *testing.T) {
	t.Parallel()
	const limit, wrong = webhook.MaxAnswer, "\uFFFD"
	for name, example := range map[string]struct{ body, want string }{
		"empty":             {"", ""},
		"text":              {"größe\n\t", "größe\n\t"},
		"as long as can be": {strings.Repeat("a", limit), strings.Repeat("a", limit)},
		"longer":            {strings.Repeat("a", limit) + "b", strings.Repeat("a", limit)},
		"endless":           {strings.Repeat("a", 10<<20), strings.Repeat("a", limit)},
		"a character cut":   {strings.Repeat("a", limit-2) + "€uro", strings.Repeat("a", limit-2)},
		"a character whole": {strings.Repeat("a", limit-3) + "€uro", strings.Repeat("a", limit-3) + "€"},
		"bytes":             {"a\xff\xfe\x00b\xc3", "a" + wrong + wrong + "b" + wrong},
		"bytes that grow":   {strings.Repeat("a\xff", limit/2), strings.Repeat("a"+wrong, limit/4)},
		"a wrong end":       {strings.Repeat("a", limit-1) + "\xff" + "a", strings.Repeat("a", limit-1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := receiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, example.body) })
			result := send(t, address)
			require.True(t, result.Delivered())
			require.Equal(t, example.want, result.Answer)
		})
	}
}

// A compressed answer is not decompressed.
func TestSendDoesNotDecompress(t *testing.T) {
	t.Parallel()
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			w.WriteHeader(http.StatusNotAcceptable)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "no gzip")
	})
	result := send(t, address)
	require.True(t, result.Delivered())
	require.Equal(t, "no gzip", result.Answer)
}

func TestSendTimesOut(t *testing.T) {
	t.Parallel()
	silent := receiver(t, func(_ http.ResponseWriter, r *http.Request) { hang(r) })
	// The status arrives in time, the body does not.
	slow := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		hang(r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })

	const short = 200 * time.Millisecond
	client := newClient(t, webhook.ClientConfig{Guard: localGuard(t), Timeout: short})
	for _, address := range []string{silent, "https://" + listener.Addr().String()} {
		result, err := client.Send(t.Context(), deliveryTo(t, address))
		require.NoError(t, err)
		require.Equal(t, webhook.FailureTimeout, result.Failure, "%+v", result)
		require.GreaterOrEqual(t, result.Latency, short)
		require.Zero(t, result.Status)
	}
	client = newClient(t, webhook.ClientConfig{Guard: localGuard(t), Timeout: 10 * short})
	result, err := client.Send(t.Context(), deliveryTo(t, slow))
	require.NoError(t, err)
	require.True(t, result.Delivered())
	require.Equal(t, "begun", result.Answer)
}

// A sender that stops reports no failure of the receiver.
func TestSendStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopping := errors.New("stopping")
	address := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel(stopping)
		hang(r)
	})
	client := newClient(t, webhook.ClientConfig{Guard: localGuard(t)})
	_, err := client.Send(ctx, deliveryTo(t, address+"/?token=hidden"))
	require.ErrorIs(t, err, stopping)
	require.NotContains(t, err.Error(), "hidden")
}
