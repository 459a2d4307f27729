package authn_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

func (u *union) unavailable(t *testing.T, header string) {
	t.Helper()
	_, err := u.Authenticate(t.Context(), header)
	require.True(t, domain.HasCode(err, domain.CodeUnavailable), "%v", err)
}

func (u *union) fetched() int { return u.world.Issuer.Requests(oidctest.KeysPath) }

func TestOIDCKeysAreFetchedOnce(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	require.Zero(t, u.fetched(), "not before a token needs them")
	for range 3 {
		u.accepted(t, u.bearer(u.world.Claims()))
		u.clock.Advance(20 * time.Second)
	}
	require.Equal(t, 1, u.fetched())
	require.Equal(t, 1, u.world.Issuer.Requests(oidctest.MetadataPath))
}

func TestOIDCNewKeyIsPickedUp(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	u.accepted(t, u.bearer(u.world.Claims()))
	rotated := oidctest.NewKey(t, "ES256", "rotated")
	token := "Bearer " + rotated.Token(u.world.Claims())
	old := u.bearer(u.world.Claims())

	u.world.Issuer.Publish(rotated)
	u.refused(t, token)
	u.clock.Advance(time.Minute)
	u.accepted(t, old)
	u.accepted(t, token)
	u.clock.Advance(10 * time.Second)
	u.refused(t, old)
	require.Equal(t, 2, u.fetched())
}

func TestOIDCUnknownKeysCostOneFetchAMinute(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	u.accepted(t, u.bearer(u.world.Claims()))
	unknown := func() {
		for range 50 {
			u.refused(t, "Bearer "+u.world.Issuer.Key("ES256").As("ES256", uuid.NewString()).Token(u.world.Claims()))
		}
	}
	unknown()
	u.clock.Advance(time.Minute - time.Nanosecond)
	unknown()
	require.Equal(t, 1, u.fetched())
	u.clock.Advance(time.Nanosecond)
	unknown()
	require.Equal(t, 2, u.fetched())

	u.world.Issuer.Stop()
	u.clock.Advance(time.Minute)
	unknown()
	require.Equal(t, 3, u.world.Issuer.Requests(oidctest.MetadataPath), "no more when the issuer does not answer")
}

func TestOIDCKnownKeysServeWhileTheIssuerIsDown(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	u.accepted(t, u.bearer(u.world.Claims()))
	u.world.Issuer.Stop()
	later := func(after time.Duration) string {
		u.clock.Advance(after)
		return u.bearer(u.world.Claims().With(oidctest.Members{"exp": u.clock.Now().Add(time.Minute).Unix()}))
	}
	for range 23 {
		token := later(time.Hour)
		u.refused(t, "Bearer "+oidctest.NewKey(t, "ES256", "unknown").Token(u.world.Claims()))
		u.accepted(t, token)
	}
	u.unavailable(t, later(time.Hour))
	u.world.Issuer.Resume()
	u.accepted(t, later(5*time.Second))
}

func TestOIDCIssuerThatNeverAnswered(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	token := u.bearer(u.world.Claims())
	u.world.Issuer.Stop()
	u.unavailable(t, token)
	u.unavailable(t, token)
	require.Equal(t, 1, u.world.Issuer.Requests(oidctest.MetadataPath), "it is not asked again at once")
	require.Equal(t, u.user, u.accepted(t, "Bearer "+u.world.Other.Key("RS256").Token(
		u.world.Claims().With(oidctest.Members{"iss": u.world.Other.URL()}))).PrincipalID, "another issuer is not affected")
	u.world.Issuer.Resume()
	u.unavailable(t, token)
	u.clock.Advance(5 * time.Second)
	u.accepted(t, token)
}

func TestOIDCKeysFromAConfiguredPlace(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	u.trust(t, authn.OIDCIssuer{
		Issuer: "https://issuer.example", Audiences: []string{audience},
		JWKSURL: u.world.Issuer.URL() + oidctest.KeysPath,
	})
	u.accepted(t, u.bearer(u.world.Claims().With(oidctest.Members{"iss": "https://issuer.example"})))
	u.refused(t, u.bearer(u.world.Claims()))
	require.Zero(t, u.world.Issuer.Requests(oidctest.MetadataPath))
}

func TestOIDCOnlyKeyNeedNotBeNamed(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	key := u.world.Issuer.Key("ES256")
	u.world.Issuer.Publish(key.As("ES256", ""))
	u.accepted(t, "Bearer "+key.Sign(key.Header().Without("kid"), u.world.Claims()))
	u.refused(t, u.bearer(u.world.Claims().With(oidctest.Members{"aud": "another"})))
	u.refused(t, "Bearer "+key.Token(u.world.Claims()))
}

func TestOIDCIssuerWithdrawsAllKeys(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	u.accepted(t, u.bearer(u.world.Claims()))
	token := u.bearer(u.world.Claims())
	u.world.Issuer.Publish()
	u.clock.Advance(time.Minute)
	u.refused(t, "Bearer "+oidctest.NewKey(t, "ES256", "unknown").Token(u.world.Claims()))
	u.refused(t, token)
}

func TestOIDCAnswersThatAreNoKeys(t *testing.T) {
	t.Parallel()
	text := func(mediaType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			_, _ = w.Write([]byte(body))
		}
	}
	metadata := func(issuer, keys string) http.HandlerFunc {
		return text("application/json", `{"issuer":"`+issuer+`","jwks_uri":"`+keys+`"}`)
	}
	for name, c := range map[string]func(u *union) (path string, answer http.HandlerFunc){
		"metadata of another issuer": func(u *union) (string, http.HandlerFunc) {
			return oidctest.MetadataPath, metadata("https://issuer.example", u.world.Issuer.URL()+oidctest.KeysPath)
		},
		"metadata of the issuer with a slash": func(u *union) (string, http.HandlerFunc) {
			return oidctest.MetadataPath, metadata(u.world.Issuer.URL()+"/", u.world.Issuer.URL()+oidctest.KeysPath)
		},
		"keys where nothing is encrypted": func(u *union) (string, http.HandlerFunc) {
			return oidctest.MetadataPath, metadata(u.world.Issuer.URL(),
				strings.Replace(u.world.Issuer.URL(), "127.0.0.1", "0.0.0.0", 1)+oidctest.KeysPath)
		},
		"keys in a file": func(u *union) (string, http.HandlerFunc) {
			return oidctest.MetadataPath, metadata(u.world.Issuer.URL(), "file:///etc/keys")
		},
		"keys nowhere": func(u *union) (string, http.HandlerFunc) {
			return oidctest.MetadataPath, text("application/json", `{"issuer":"`+u.world.Issuer.URL()+`"}`)
		},
		"metadata in HTML": func(*union) (string, http.HandlerFunc) {
			return oidctest.MetadataPath, text("text/html", "<p>Moved</p>")
		},
		"metadata elsewhere": func(u *union) (string, http.HandlerFunc) {
			return oidctest.MetadataPath, http.RedirectHandler(u.world.Issuer.URL()+"/elsewhere", http.StatusFound).ServeHTTP
		},
		"keys elsewhere": func(u *union) (string, http.HandlerFunc) {
			return oidctest.KeysPath, http.RedirectHandler(u.world.Other.URL()+oidctest.KeysPath, http.StatusFound).ServeHTTP
		},
		"keys in HTML":    func(*union) (string, http.HandlerFunc) { return oidctest.KeysPath, text("text/html", "<p>Moved</p>") },
		"an empty object": func(*union) (string, http.HandlerFunc) { return oidctest.KeysPath, text("application/json", "{}") },
		"an error that says that it is one": func(*union) (string, http.HandlerFunc) {
			return oidctest.KeysPath, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = w.Write([]byte(`{"keys":[]}`))
			}
		},
		"keys without end": func(*union) (string, http.HandlerFunc) {
			return oidctest.KeysPath, text("application/json", `{"keys":["`+strings.Repeat("x", 2<<20)+`"]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUnion(t)
			u.world.Issuer.Answer(c(u))
			u.unavailable(t, u.bearer(u.world.Claims()))
			u.world.Issuer.Resume()
			u.clock.Advance(5 * time.Second)
			u.accepted(t, u.bearer(u.world.Claims()))
		})
	}
}

func TestOIDCIssuerThatDoesNotAnswerInTime(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	u.world.Issuer.Answer(oidctest.MetadataPath, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	started := time.Now()
	u.unavailable(t, u.bearer(u.world.Claims()))
	require.Less(t, time.Since(started), 5*time.Second)
}

// A request that ends does not wait for the issuer any longer, and waiting requests share one fetch.
func TestOIDCFetchIsLeftWithTheRequest(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	fetches, end := make(chan struct{}, 10), make(chan struct{})
	t.Cleanup(func() { close(end) })
	u.world.Issuer.Answer(oidctest.MetadataPath, func(http.ResponseWriter, *http.Request) {
		fetches <- struct{}{}
		<-end
	})
	ctx, leave := context.WithCancel(t.Context())
	started := time.Now()
	var requests sync.WaitGroup
	for range 5 {
		requests.Go(func() {
			if _, err := u.Authenticate(ctx, u.bearer(u.world.Claims())); err == nil {
				t.Error("authenticated without keys")
			}
		})
	}
	<-fetches
	leave()
	requests.Wait()
	require.Less(t, time.Since(started), 2*time.Second)
	require.Empty(t, fetches)
}

// written is a log that can be read while it is written.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func TestOIDCKeysAreRefreshedWithoutBeingAskedFor(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	issuer, clock := u.world.Issuer, u.clock
	trusted, err := authn.NewOIDC(u.db, []authn.OIDCIssuer{{Issuer: issuer.URL(), Audiences: []string{audience}}}, clock.Now)
	require.NoError(t, err)
	issuer.Stop()

	log := &written{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		trusted.RefreshEvery(ctx, time.Millisecond, slog.New(slog.NewJSONHandler(log, nil)))
	}()
	soon := func(condition func() bool) {
		t.Helper()
		require.Eventually(t, condition, 10*time.Second, time.Millisecond)
	}
	soon(func() bool { return strings.Contains(log.String(), issuer.URL()) })
	issuer.Resume()
	// A fetch that is under way may end after the clock has moved, so it moves on.
	soon(func() bool {
		clock.Advance(time.Minute)
		return u.fetched() >= 3
	})
	cancel()
	<-ended
	// A fetch that is under way goes on after the cancellation, for other callers.
	fetched := -1
	require.Eventually(t, func() bool {
		before := fetched
		fetched = u.fetched()
		return fetched == before
	}, 10*time.Second, 100*time.Millisecond)

	u.Authenticator, err = authn.NewAuthenticator(u.db, clock.Now, authn.WithOIDC(trusted))
	require.NoError(t, err)
	u.accepted(t, u.bearer(u.world.Claims().With(oidctest.Members{"exp": clock.Now().Add(time.Minute).Unix()})))
	require.Equal(t, fetched, u.fetched(), "the first token finds the keys there")
}
