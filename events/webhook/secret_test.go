package webhook_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/webhook"
)

func TestParseSecret(t *testing.T) {
	t.Parallel()
	ofLength := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for _, text := range []string{ofLength(24), ofLength(32), ofLength(64)} {
		_, err := webhook.ParseSecret(domain.NewSecret(text))
		require.NoError(t, err, text)
	}
	key := strings.Repeat("k", 32)
	for name, text := range map[string]string{
		"empty":          "",
		"no prefix":      base64.StdEncoding.EncodeToString([]byte(key)),
		"another prefix": "whsk_" + base64.StdEncoding.EncodeToString([]byte(key)),
		"23 bytes":       ofLength(23),
		"65 bytes":       ofLength(65),
		"prefix only":    "whsec_",
		"unpadded":       "whsec_" + base64.RawStdEncoding.EncodeToString([]byte(key)),
		"of URLs":        "whsec_" + strings.Repeat("-_", 20),
		"with a newline": "whsec_" + base64.StdEncoding.EncodeToString([]byte(key)) + "\n",
		"loose last bit": "whsec_" + strings.Repeat("a", 42) + "b=",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := webhook.ParseSecret(domain.NewSecret(text))
			require.Error(t, err)
			if len(text) > 8 {
				require.NotContains(t, err.Error(), text[6:])
			}
		})
	}
}

func TestSecretHides(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("key-", 8)
	secret, text := secretOf(t, []byte(key))
	encoded, err := json.Marshal(struct{ S webhook.Secret }{secret})
	require.NoError(t, err)
	delivery := webhook.Delivery{Secrets: []webhook.Secret{secret}}
	for _, shown := range []string{
		secret.String(), fmt.Sprintf("%v %+v %#v %s %x", secret, secret, secret, secret, secret), string(encoded),
		fmt.Sprintf("%v %+v %#v", delivery, delivery, &delivery),
	} {
		require.NotContains(t, shown, "key-")
		require.NotContains(t, shown, fmt.Sprintf("%x", "key-"))
		require.NotContains(t, shown, text[6:])
	}
}
