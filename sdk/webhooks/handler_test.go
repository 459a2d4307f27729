package webhooks

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
)

const (
	oldSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	newSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

// deliver sends an event as the service does, signed with a secret.
func deliver(t *testing.T, to http.Handler, secret, id, body string) int {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	now := time.Now()
	signature, err := signer.Sign(id, now, []byte(body))
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	request.Header.Set("Webhook-Id", id)
	request.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("Webhook-Signature", signature)
	answer := httptest.NewRecorder()
	to.ServeHTTP(answer, request)
	return answer.Code
}

func discardLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestEventsAreVerifiedAndHandledOnce(t *testing.T) {
	t.Parallel()
	var handled []string
	var failure error
	var logged strings.Builder
	r, err := NewHandler([]string{oldSecret, newSecret}, func(_ context.Context, e Event) error {
		handled = append(handled, e.ID)
		return failure
	}, slog.New(slog.NewTextHandler(&logged, nil)))
	require.NoError(t, err)
	require.Equal(t, 200, deliver(t, r, oldSecret, "1", `{"id":"1","type":"PROCESS.CREATED"}`))
	require.Contains(t, logged.String(), `level=INFO msg="an event was handled" id=1 type=PROCESS.CREATED`)
	require.Equal(t, 200, deliver(t, r, newSecret, "1", `{"id":"1"}`), "another attempt")
	require.Equal(t, 200, deliver(t, r, newSecret, "2", `{"id":"2"}`))
	require.Equal(t, []string{"1", "2"}, handled)

	require.Equal(t, 401, deliver(t, r, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "3", `{"id":"3"}`))
	require.Equal(t, 400, deliver(t, r, oldSecret, "3", `no event`))
	require.Len(t, handled, 2)

	// A failed event is handled when it is resent.
	failure = errors.New("the service does not answer")
	require.Equal(t, 503, deliver(t, r, oldSecret, "3", `{"id":"3"}`))
	failure = nil
	require.Equal(t, 200, deliver(t, r, oldSecret, "3", `{"id":"3"}`))
	require.Equal(t, []string{"1", "2", "3", "3"}, handled)
}

func TestNewHandler(t *testing.T) {
	t.Parallel()
	ofLength := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for name, example := range map[string]struct {
		secrets []string
		failure string
	}{
		"no secret is refused":             {nil, "webhook secrets must not be empty"},
		"an empty secret is refused":       {[]string{""}, "webhook secret 1 must begin with whsec_"},
		"an empty key is refused":          {[]string{"whsec_"}, "webhook secret 1 must have 24 to 64 bytes, not 0"},
		"a missing prefix is refused":      {[]string{strings.TrimPrefix(oldSecret, "whsec_")}, "must begin with whsec_"},
		"an unknown prefix is refused":     {[]string{"whpk_" + strings.TrimPrefix(oldSecret, "whsec_")}, "must begin with whsec_"},
		"text beyond base64 is refused":    {[]string{"whsec_?"}, "must be base64 after whsec_"},
		"one byte is refused":              {[]string{"whsec_YQ=="}, "must have 24 to 64 bytes, not 1"},
		"23 bytes are refused":             {[]string{ofLength(23)}, "must have 24 to 64 bytes, not 23"},
		"65 bytes are refused":             {[]string{ofLength(65)}, "must have 24 to 64 bytes, not 65"},
		"a weak second secret is refused":  {[]string{oldSecret, ""}, "webhook secret 2 must begin with whsec_"},
		"24 bytes are accepted":            {[]string{ofLength(24)}, ""},
		"64 bytes are accepted":            {[]string{ofLength(64)}, ""},
		"two secrets are accepted at once": {[]string{oldSecret, newSecret}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := NewHandler(example.secrets, nil, discardLogger())
			if example.failure == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, example.failure)
		})
	}
}

func TestHandlePanicLeavesEventToNextAttempt(t *testing.T) {
	t.Parallel()
	panics := true
	r, err := NewHandler([]string{oldSecret}, func(context.Context, Event) error {
		if panics {
			panic("the first attempt")
		}
		return nil
	}, discardLogger())
	require.NoError(t, err)
	require.Panics(t, func() { deliver(t, r, oldSecret, "1", `{"id":"1"}`) })
	panics = false
	require.Equal(t, 200, deliver(t, r, oldSecret, "1", `{"id":"1"}`))
}

// An attempt that comes while the one before is still being handled is not handled
// at the same time.
func TestAnEventIsHandledByOneAtATime(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	r, err := NewHandler([]string{oldSecret}, func(context.Context, Event) error {
		close(begun)
		<-goOn
		return nil
	}, discardLogger())
	require.NoError(t, err)
	var first sync.WaitGroup
	first.Go(func() { deliver(t, r, oldSecret, "1", `{"id":"1"}`) })
	<-begun
	require.Equal(t, 503, deliver(t, r, oldSecret, "1", `{"id":"1"}`))
	close(goOn)
	first.Wait()
	require.Equal(t, 200, deliver(t, r, oldSecret, "1", `{"id":"1"}`))
}

// The oldest of very many events are forgotten.
func TestNotEverythingIsRemembered(t *testing.T) {
	t.Parallel()
	r, err := NewHandler([]string{oldSecret}, nil, discardLogger())
	require.NoError(t, err)
	for i := range remembered + 5 {
		r.endEvent(strconv.Itoa(i), true)
	}
	require.Len(t, r.done, remembered)
	again, _ := r.beginEvent("4")
	require.False(t, again)
	again, _ = r.beginEvent("5")
	require.True(t, again)
}
