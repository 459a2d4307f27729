// Package access decides what a caller of the Temporal frontend may do. [Claims] reads a token, [Authorizer] compares it with the
// client certificate and the call, and engine.go holds the rules for engine credentials.
package access

import (
	"context"
	"crypto/ecdsa"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"go.temporal.io/server/common/authorization"
)

const (
	// firstRetry is the time between two reads of the key set until the first one succeeds. The service that publishes it may start after this server.
	firstRetry = 250 * time.Millisecond

	// missRetry is the least time between two reads asked for by tokens with an unknown key.
	missRetry = time.Second

	keySetTimeout  = 5 * time.Second
	keySetMaxBytes = 1 << 20
)

// KeySet holds the public keys published at a URL. Unlike Temporal's provider it bounds the time and size of a read, keeps the keys it
// has when a read fails or returns none, and reads early when a token names a key it does not know.
type KeySet struct {
	url      string
	interval time.Duration
	client   *http.Client
	logger   *slog.Logger
	keys     atomic.Pointer[keys]
	missed   chan struct{}
	stop     context.CancelFunc
	reading  sync.WaitGroup
}

type keys struct {
	rsa   map[string]*rsa.PublicKey
	ecdsa map[string]*ecdsa.PublicKey
}

var _ authorization.TokenKeyProvider = (*KeySet)(nil)

// NewKeySet reads url once and then every interval until Close. A first read that fails is not an error: every token is refused until
// one succeeds.
func NewKeySet(ctx context.Context, url string, interval time.Duration, logger *slog.Logger) *KeySet {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &KeySet{
		url:      url,
		interval: interval,
		client:   &http.Client{Timeout: keySetTimeout},
		logger:   logger,
		missed:   make(chan struct{}, 1),
		stop:     stop,
	}
	s.keys.Store(&keys{})
	err := s.read(ctx)
	if err != nil {
		logger.WarnContext(ctx, "token keys unavailable, every token is refused until they are", slog.String("error", err.Error()))
	}
	s.reading.Go(func() { s.refresh(background, err == nil) })
	return s
}

// Close stops reading the key set.
func (s *KeySet) Close() {
	s.stop()
	s.reading.Wait()
}

// SupportedMethods lists the signature algorithms a token may use.
func (*KeySet) SupportedMethods() []string { return []string{"ES256", "RS256"} }

// EcdsaKey returns the key a token signed with ES256 names.
func (s *KeySet) EcdsaKey(_, kid string) (*ecdsa.PublicKey, error) {
	return lookUp(s, s.keys.Load().ecdsa, kid)
}

// RsaKey returns the key a token signed with RS256 names.
func (s *KeySet) RsaKey(_, kid string) (*rsa.PublicKey, error) {
	return lookUp(s, s.keys.Load().rsa, kid)
}

// HmacKey returns an error: a shared secret cannot be published.
func (*KeySet) HmacKey(string, string) ([]byte, error) {
	return nil, errors.New("symmetric signatures are not accepted")
}

func lookUp[K any](s *KeySet, keys map[string]*K, kid string) (*K, error) {
	if key, ok := keys[kid]; ok {
		return key, nil
	}
	select {
	case s.missed <- struct{}{}:
	default: // a read is already due
	}
	return nil, errors.New("the token's key is not in the key set")
}

func (s *KeySet) refresh(ctx context.Context, loaded bool) {
	wait := s.interval
	if !loaded {
		wait = min(wait, firstRetry)
	}
	due := time.NewTimer(wait)
	defer due.Stop()
	early := time.NewTicker(missRetry)
	defer early.Stop()
	failing := !loaded
	for {
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		case <-early.C:
			select {
			case <-s.missed:
			default:
				continue
			}
		}
		err := s.read(ctx)
		if ctx.Err() != nil {
			return
		}
		// One line when it starts and one when it ends: a service that is down for an hour is not worth a line a second.
		if failing != (err != nil) {
			failing = err != nil
			if failing {
				s.logger.WarnContext(ctx, "reading the token keys failed, keeping the previous ones", slog.String("error", err.Error()))
			} else {
				s.logger.InfoContext(ctx, "token keys available")
			}
		}
		loaded = loaded || err == nil
		wait = s.interval
		if !loaded {
			wait = min(wait, firstRetry)
		}
		due.Reset(wait)
	}
}

// read replaces the keys by those published now.
func (s *KeySet) read(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading the key set: %w", err)
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", s.url, res.Status)
	}
	var set jose.JSONWebKeySet
	if err := json.NewDecoder(io.LimitReader(res.Body, keySetMaxBytes)).Decode(&set); err != nil {
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
		return fmt.Errorf("%s holds no RSA or ECDSA key with an id", s.url)
	}
	s.keys.Store(&next)
	return nil
}
