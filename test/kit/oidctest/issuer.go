// Package oidctest has an OpenID Connect issuer on the loopback for tests, and a
// collection of tokens that must be refused.
//
// It does not sign with the library that verifies tokens, so that it can sign
// invalid input.
package oidctest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Paths of an Issuer.
const (
	MetadataPath = "/.well-known/openid-configuration"
	KeysPath     = "/keys"
)

// Issuer is an OpenID Connect issuer. It is safe for concurrent use.
type Issuer struct {
	server *httptest.Server

	mu       sync.Mutex
	keys     []Key
	flow     flow
	instead  map[string]http.HandlerFunc
	requests map[string]int
}

// NewIssuer starts an issuer that publishes the keys and runs until the test
// ends.
func NewIssuer(tb testing.TB, keys ...Key) *Issuer {
	tb.Helper()
	i := &Issuer{keys: keys, instead: map[string]http.HandlerFunc{}, requests: map[string]int{}}
	i.flow = flow{clock: time.Now, codes: map[string]grant{}}
	i.server = httptest.NewServer(http.HandlerFunc(i.serveHTTP))
	tb.Cleanup(i.server.Close)
	return i
}

// URL returns the issuer's name.
func (i *Issuer) URL() string { return i.server.URL }

// Publish replaces the keys.
func (i *Issuer) Publish(keys ...Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// Key returns the first published key for the algorithm. There must be one.
func (i *Issuer) Key(algorithm string) Key {
	return i.publishedKey(func(key Key) bool { return key.Algorithm == algorithm })
}

// publishedKey returns the first published key that is wanted, and panics without
// one.
func (i *Issuer) publishedKey(matches func(Key) bool) Key {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[slices.IndexFunc(i.keys, matches)]
}

// Requests counts the requests for a path.
func (i *Issuer) Requests(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.requests[path]
}

// Answer lets a handler answer at a path in place of the issuer.
func (i *Issuer) Answer(path string, instead http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.instead[path] = instead
}

// Stop lets every request fail with a broken connection until Resume.
func (i *Issuer) Stop() {
	broken := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	i.Answer(MetadataPath, broken)
	i.Answer(KeysPath, broken)
}

// Resume ends the effects of Stop and Answer.
func (i *Issuer) Resume() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.instead = map[string]http.HandlerFunc{}
}

func (i *Issuer) serveHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	i.requests[r.URL.Path]++
	instead := i.instead[r.URL.Path]
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, key := range i.keys {
		set.Keys = append(set.Keys, key.publicKey())
	}
	i.mu.Unlock()

	var answer any
	switch {
	case instead != nil:
		instead(w, r)
		return
	case r.URL.Path == MetadataPath:
		answer = i.issuerMetadata()
	case r.URL.Path == KeysPath:
		answer = set
	case r.URL.Path == AuthorizationPath:
		i.serveAuthorize(w, r)
		return
	case r.URL.Path == TokenPath:
		i.serveToken(w, r)
		return
	case r.URL.Path == UserInfoPath:
		i.serveUserInfo(w, r)
		return
	case r.URL.Path == DevicePath:
		answer = i.startDevice()
	default:
		http.NotFound(w, r)
		return
	}
	writeJSON(w, answer)
}

func writeJSON(w http.ResponseWriter, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}
