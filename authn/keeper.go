package authn

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"gocloud.dev/secrets"
	_ "gocloud.dev/secrets/awskms"       // awskms:// URLs
	_ "gocloud.dev/secrets/localsecrets" // base64key:// URLs
)

// wrapperTimeout bounds one call to a key management service.
const wrapperTimeout = 30 * time.Second

// KeyWrapper encrypts and decrypts seal keys with a key that never leaves it, such as
// one of a key management service.
type KeyWrapper struct {
	kms *secrets.Keeper
}

// OpenKeyWrapper opens the keeper that a URL names: awskms://… for AWS KMS, or
// base64key://… for a key in the URL itself, for tests. The URL may be a secret;
// no error shows more of it than its scheme.
func OpenKeyWrapper(ctx context.Context, at string) (*KeyWrapper, error) {
	parsed, err := url.Parse(at)
	if err != nil {
		return nil, errors.New("opening the keeper of the seal key: the URL is not valid")
	}
	if !SupportsKeyWrapper(at) {
		return nil, fmt.Errorf("opening the keeper of the seal key: the URL scheme %q is not supported", parsed.Scheme)
	}
	keeper, err := secrets.OpenKeeper(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("opening the keeper of the seal key: the %s URL is not valid", parsed.Scheme)
	}
	return &KeyWrapper{kms: keeper}, nil
}

// SupportsKeyWrapper reports whether a URL has a scheme of OpenKeyWrapper.
func SupportsKeyWrapper(at string) bool {
	parsed, err := url.Parse(at)
	return err == nil && secrets.DefaultURLMux().ValidKeeperScheme(parsed.Scheme)
}

// Close closes the keeper.
func (k *KeyWrapper) Close() error { return k.kms.Close() }

func (k *KeyWrapper) encrypt(ctx context.Context, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, wrapperTimeout)
	defer cancel()
	encrypted, err := k.kms.Encrypt(ctx, []byte(text))
	if err != nil {
		return "", fmt.Errorf("encrypting by the keeper: %w", err)
	}
	return base64.StdEncoding.EncodeToString(encrypted), nil
}

// decrypt may be called on a nil KeyWrapper, and then returns an error.
func (k *KeyWrapper) decrypt(ctx context.Context, text string) (string, error) {
	if k == nil {
		return "", errors.New("it is encrypted, but no keeper is configured")
	}
	encrypted, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", errors.New("the encrypted key must be base64")
	}
	ctx, cancel := context.WithTimeout(ctx, wrapperTimeout)
	defer cancel()
	decrypted, err := k.kms.Decrypt(ctx, encrypted)
	if err != nil {
		return "", fmt.Errorf("decrypting by the keeper: %w", err)
	}
	return string(decrypted), nil
}
