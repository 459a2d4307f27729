package assistance_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
)

func TestProviderDown(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	client, err := assistance.NewClient(config(address))
	require.NoError(t, err)
	_, err = client.Complete(t.Context(), assistance.Request{Prompt: "P"})
	e := failure(t, err)
	require.Equal(t, assistance.CodeUnavailable, e.Code)
	require.True(t, e.Retryable())
	require.Equal(t, "the provider cannot be reached", e.Message)

	// It hangs up in the middle of its answer.
	client = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"choices":`)
		panic(http.ErrAbortHandler)
	})
	_, err = client.Complete(t.Context(), assistance.Request{Prompt: "P"})
	require.Equal(t, assistance.CodeUnavailable, failure(t, err).Code)
}

func TestProviderSlow(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"no answer": "", "half an answer": `{"choices":[`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan struct{}, 2)
			done := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if begin != "" {
					_, _ = io.WriteString(w, begin)
					_ = http.NewResponseController(w).Flush()
				}
				arrived <- struct{}{}
				<-done
			}))
			t.Cleanup(server.Close)
			t.Cleanup(func() { close(done) })
			c := config(server.URL)
			c.ChatTimeout = 50 * time.Millisecond
			client, err := assistance.NewClient(c)
			require.NoError(t, err)
			_, err = client.Complete(t.Context(), assistance.Request{Prompt: "P"})
			e := failure(t, err)
			require.Equal(t, assistance.CodeTimeout, e.Code)
			require.True(t, e.Retryable())
			<-arrived

			// The caller gives up.
			c.ChatTimeout = time.Minute
			client, err = assistance.NewClient(c)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-arrived
				cancel()
			}()
			_, err = client.Complete(ctx, assistance.Request{Prompt: "P"})
			require.Equal(t, context.Canceled, err)
		})
	}
}

func TestConfigurationsThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*assistance.Config){
		"no address":     func(c *assistance.Config) { c.BaseURL = "" },
		"no host":        func(c *assistance.Config) { c.BaseURL = "http:///v1" },
		"no URL":         func(c *assistance.Config) { c.BaseURL = "http://\x00" + key },
		"another scheme": func(c *assistance.Config) { c.BaseURL = "file:///etc/passwd" },
		"a user":         func(c *assistance.Config) { c.BaseURL = "http://user:" + key + "@127.0.0.1/v1" },
		"a query":        func(c *assistance.Config) { c.BaseURL = "http://127.0.0.1/v1?key=" + key },
		"no model":       func(c *assistance.Config) { c.ChatModel = "" },
		"nothing embeds": func(c *assistance.Config) { c.Embeddings = "" },
		"no clock":       func(c *assistance.Config) { c.Clock = nil },
		"a key of lines": func(c *assistance.Config) { c.Key = domain.NewSecret(key + "\r\nX: y") },
	} {
		c := config("http://127.0.0.1")
		change(&c)
		_, err := assistance.NewClient(c)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), key, name)
	}
	c := config("http://127.0.0.1")
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", c, c, c), key)
}

func TestWithoutKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, sent := r.Header["Authorization"]; sent {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		answers(200, "application/json", chat(`"a"`, `"stop"`))(w, r)
	}))
	t.Cleanup(server.Close)
	c := config(server.URL)
	c.Key = domain.Secret{}
	client, err := assistance.NewClient(c)
	require.NoError(t, err)
	_, err = client.Complete(t.Context(), assistance.Request{Prompt: "P"})
	require.NoError(t, err)
}
