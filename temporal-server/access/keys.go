package access

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
	"go.temporal.io/server/common/authorization"
)

const keySetMaxBytes = 1 << 20

// keySet holds the public keys that are published at a URL. Unlike Temporal's provider it bounds the time and the size of a read,
// retains its keys when a read fails or returns none, and reads early when a token names an unknown key.
type keySet struct {
	source *source
	keys   atomic.Pointer[keys]
}

type keys struct {
	rsa   map[string]*rsa.PublicKey
	ecdsa map[string]*ecdsa.PublicKey
}

var _ authorization.TokenKeyProvider = (*keySet)(nil)

func newKeySet(o Options) *keySet {
	s := &keySet{}
	s.source = &source{
		name: "token_keys", title: "keys of tokens", url: o.KeySetURL, interval: o.KeySetRefresh, maxAge: o.MaxAge,
		maxBytes: keySetMaxBytes, accept: s.replaceKeys,
		logger: o.Logger, metrics: o.Metrics, clock: o.Clock,
	}
	s.keys.Store(&keys{})
	return s
}

// Close implements [authorization.TokenKeyProvider]. It is a no-op: the [Guard] closes the source.
func (*keySet) Close() {}

// SupportedMethods returns the signature algorithms that a token may have.
func (*keySet) SupportedMethods() []string { return []string{"ES256", "RS256"} }

// EcdsaKey returns the key that a token with a signature of ES256 names.
func (s *keySet) EcdsaKey(_, kid string) (*ecdsa.PublicKey, error) {
	return lookUp(s, s.keys.Load().ecdsa, kid)
}

// RsaKey returns the key that a token with a signature of RS256 names.
func (s *keySet) RsaKey(_, kid string) (*rsa.PublicKey, error) {
	return lookUp(s, s.keys.Load().rsa, kid)
}

// HmacKey returns an error: a shared secret cannot be published.
func (*keySet) HmacKey(string, string) ([]byte, error) {
	return nil, errors.New("symmetric signatures are not accepted")
}

func lookUp[K any](s *keySet, keys map[string]*K, kid string) (*K, error) {
	if key, ok := keys[kid]; ok {
		return key, nil
	}
	s.source.requestRead()
	return nil, errors.New("the token's key is not in the key set")
}

// replaceKeys replaces the keys with a JSON Web Key Set.
func (s *keySet) replaceKeys(content []byte) error {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(content, &set); err != nil {
		return err
	}
	next := keys{rsa: map[string]*rsa.PublicKey{}, ecdsa: map[string]*ecdsa.PublicKey{}}
	for _, k := range set.Keys {
		if k.KeyID == "" {
			continue
		}
		switch key := k.Key.(type) {
		case *rsa.PublicKey:
			next.rsa[k.KeyID] = key
		case *ecdsa.PublicKey:
			next.ecdsa[k.KeyID] = key
		}
	}
	if len(next.rsa)+len(next.ecdsa) == 0 {
		return errors.New("no RSA or ECDSA key with an id is in it")
	}
	s.keys.Store(&next)
	return nil
}
