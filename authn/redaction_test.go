package authn_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

func TestNoSecretIsPrintedLoggedOrEncoded(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	now := i.clock.Now()
	token, err := i.EngineToken(access("queue"), now)
	require.NoError(t, err)
	certificate, err := i.EngineCertificate(uuid.New(), "demo", nil, now)
	require.NoError(t, err)
	pair, err := i.ServerCertificate([]string{"localhost"}, now, time.Hour)
	require.NoError(t, err)
	sealKey, encodedKey := knownSealKey(t)
	sealer, err := authn.NewSealer(sealKey)
	require.NoError(t, err)
	made := authn.NewSecret()
	require.True(t, strings.HasPrefix(made.Reveal(), "procession_"))
	require.NotEqual(t, made.Reveal(), authn.NewSecret().Reveal())

	secrets := []string{
		token.Token.Reveal(), privateBody(t, certificate.ClientPrivateKey), privateBody(t, pair.PrivateKeyPEM),
		encodedKey, made.Reveal(),
	}
	type unexported struct{ inner any }
	for _, value := range []any{
		made, token, &token, certificate, pair, sealKey, sealer, i.Issuer, i.keys,
		domain.Authentication{Type: domain.AuthenticationEngineToken, Token: &token},
		&domain.Authentication{Type: domain.AuthenticationEngineCertificate, Certificate: &certificate},
		map[string]any{"authentication": []any{token, &certificate}},
	} {
		for _, value := range []any{value, []any{value}, unexported{inner: value}, fmt.Errorf("with %v", value)} {
			written := render(t, value)
			require.NotEmpty(t, written)
			for _, secret := range secrets {
				require.NotContains(t, written, secret, "%T", value)
			}
		}
	}
}

// A refused token may be valid elsewhere or after an outage of its issuer: errors and their causes do not contain it.
func TestNoOIDCTokenIsPrintedLoggedOrEncoded(t *testing.T) {
	t.Parallel()
	u := newUnion(t)
	good := u.world.Issuer.Key("ES256").Token(u.world.Claims())
	otherAudience := u.world.Issuer.Key("ES256").Token(u.world.Claims().With(oidctest.Members{"aud": "another"}))
	unknown := u.world.Issuer.Key("ES256").Token(u.world.Claims().With(oidctest.Members{"sub": "x", "email": "x@demo.example"}))
	authenticate := func(token string) error {
		_, err := u.Authenticate(t.Context(), "Bearer "+token)
		return err
	}
	u.world.Issuer.Stop()
	errs := map[string]error{good: authenticate(good)}
	require.True(t, domain.HasCode(errs[good], domain.CodeUnavailable))
	u.world.Issuer.Resume()
	u.clock.Advance(5 * time.Second)
	for _, token := range []string{otherAudience, unknown, good + "A", good[:len(good)-10]} {
		errs[token] = authenticate(token)
		require.Error(t, errs[token])
	}
	require.NoError(t, authenticate(good))
	for token, err := range errs {
		written := render(t, err) + render(t, u.Authenticator) + render(t, fmt.Errorf("authenticating: %w", err))
		for part := range strings.SplitSeq(token, ".") {
			require.NotContains(t, written, part)
		}
	}
}

// render formats the value in all the ways of logs, errors and encoders.
func render(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		fmt.Fprintf(&out, format+"\n", value)
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("value", slog.Any("value", value))
	slog.New(slog.NewTextHandler(&out, nil)).Info("value", slog.Any("value", value))
	encoded, err := json.Marshal(value)
	if err == nil {
		out.Write(encoded)
	}
	return out.String()
}

// privateBody returns a line of the base64 of a private key that differs from key to
// key.
func privateBody(t *testing.T, key domain.Secret) string {
	t.Helper()
	lines := strings.Split(key.Reveal(), "\n")
	require.Greater(t, len(lines), 3)
	return lines[2]
}

func knownSealKey(t *testing.T) (key authn.SealKey, encoded string) {
	t.Helper()
	encoded = base64.StdEncoding.EncodeToString([]byte("0123456789abcdefghijklmnopqrstuv"))
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte(encoded), 0o600))
	key, err := authn.LoadSealKey(path)
	require.NoError(t, err)
	return key, encoded
}
