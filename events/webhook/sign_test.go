package webhook_test

import (
	"encoding/base64"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/webhook"
)

// secretOf creates a secret of a key.
func secretOf(t *testing.T, key []byte) (webhook.Secret, string) {
	t.Helper()
	text := "whsec_" + base64.StdEncoding.EncodeToString(key)
	secret, err := webhook.ParseSecret(domain.NewSecret(text))
	require.NoError(t, err)
	return secret, text
}

// The examples come from the tests of the specification's libraries and of its
// first implementation.
func TestSign(t *testing.T) {
	t.Parallel()
	for _, example := range []struct {
		secret, id, body, want string
		at                     int64
	}{
		{
			secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1614265330,
			body: `{"test": 2432232314}`, want: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		},
		{
			secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", id: "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk", at: 1649367553,
			body: `{"email":"test@example.com","username":"test_user"}`, want: "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
		},
	} {
		secret, err := webhook.ParseSecret(domain.NewSecret(example.secret))
		require.NoError(t, err)
		require.Equal(t, example.want, webhook.Sign(example.id, time.Unix(example.at, 0), []byte(example.body), secret))
	}
}

// While a secret takes the place of another, receivers that know either accept.
func TestSignWithTwoSecrets(t *testing.T) {
	t.Parallel()
	before, beforeText := secretOf(t, []byte(strings.Repeat("a", 32)))
	after, afterText := secretOf(t, []byte(strings.Repeat("b", 32)))
	_, strangersText := secretOf(t, []byte(strings.Repeat("c", 32)))
	now := time.Now()
	header := signedHeader("id", now, webhook.Sign("id", now, []byte("{}"), after, before))
	require.Regexp(t, `^v1,\S{44} v1,\S{44}$`, header.Get(webhook.HeaderSignature))
	require.NoError(t, consumer(t, beforeText).Verify([]byte("{}"), header))
	require.NoError(t, consumer(t, afterText).Verify([]byte("{}"), header))
	require.Error(t, consumer(t, strangersText).Verify([]byte("{}"), header))
}

// The reference library accepts the signatures of Sign, and refuses a message
// that differs in a single bit.
func TestReferenceConsumer(t *testing.T) {
	t.Parallel()
	const messages = 10_000
	random := rand.New(rand.NewPCG(8, 39))
	now := time.Now()
	for range messages {
		secret, text := secretOf(t, randomBytes(random, 24+random.IntN(41)))
		id := randomID(random)
		at := now.Add(time.Duration(random.IntN(480)-240) * time.Second)
		body := randomBytes(random, random.IntN(2000))
		header := signedHeader(id, at, webhook.Sign(id, at, body, secret))
		receiver := consumer(t, text)
		require.NoError(t, receiver.Verify(body, header))

		// The time is left aside, so that it is the signature that finds the change.
		changedBody, changedHeader := flipOneBit(random, body, header)
		require.Error(t, receiver.VerifyIgnoringTimestamp(changedBody, changedHeader))
	}
}

func consumer(t *testing.T, secret string) *standardwebhooks.Webhook {
	t.Helper()
	receiver, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	return receiver
}

func signedHeader(id string, at time.Time, signature string) http.Header {
	header := http.Header{}
	header.Set(webhook.HeaderID, id)
	header.Set(webhook.HeaderTimestamp, webhook.Timestamp(at))
	header.Set(webhook.HeaderSignature, signature)
	return header
}

// flipOneBit changes one bit of the body or of one of the three headers.
func flipOneBit(random *rand.Rand, body []byte, header http.Header) ([]byte, http.Header) {
	changed := header.Clone()
	names := []string{webhook.HeaderID, webhook.HeaderTimestamp, webhook.HeaderSignature}
	if which := random.IntN(len(names) + 1); which < len(names) {
		changed.Set(names[which], string(flip(random, []byte(header.Get(names[which])))))
		return body, changed
	}
	if len(body) == 0 {
		return []byte{1 << random.IntN(8)}, changed
	}
	return flip(random, body), changed
}

func flip(random *rand.Rand, data []byte) []byte {
	changed := append([]byte(nil), data...)
	changed[random.IntN(len(changed))] ^= 1 << random.IntN(8)
	return changed
}

func randomBytes(random *rand.Rand, length int) []byte {
	data := make([]byte, length)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

func randomID(random *rand.Rand) string {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
	id := make([]byte, 1+random.IntN(40))
	for i := range id {
		id[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(id)
}
