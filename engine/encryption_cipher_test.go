package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/domain"
)

// vector is a result of testdata/encryption.py. A canonical one has the
// metadata in the order in which we write it.
type vector struct {
	Name      string
	KeyID     string
	Key       string
	Nonce     string
	Encoding  string
	Data      string
	Encrypted string
	Canonical bool
}

func vectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("testdata/encryption.json")
	require.NoError(t, err)
	var found []vector
	require.NoError(t, json.Unmarshal(text, &found))
	require.Len(t, found, 5)
	return found
}

func (v vector) cipher(t *testing.T) *payloadCipher {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(v.Key)
	require.NoError(t, err)
	c, err := newPayloadCipher(v.KeyID, domain.NewSecret(string(key)))
	require.NoError(t, err)
	return c
}

func (v vector) encrypted() *commonpb.Payload {
	return &commonpb.Payload{
		Metadata: map[string][]byte{
			"encoding":                  []byte("binary/encrypted?vendor=KuFlow"),
			"encoding-encrypted-key-id": []byte(v.KeyID),
		},
		Data: []byte(v.Encrypted),
	}
}

func TestPayloadsAreEncryptedByteForByte(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		if !v.Canonical {
			continue
		}
		var n nonce
		_, err := hex.Decode(n[:], []byte(v.Nonce))
		require.NoError(t, err)
		plain := &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte(v.Encoding)}, Data: []byte(v.Data)}
		before := proto.Clone(plain)
		encrypted, err := v.cipher(t).encrypt(plain, n)
		require.NoError(t, err)
		require.True(t, proto.Equal(v.encrypted(), encrypted), "%s: %s", v.Name, encrypted.GetData())
		require.True(t, proto.Equal(before, plain), "the payload itself stays as it is")
	}
}

func TestPayloadsAreDecrypted(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		plain, err := v.cipher(t).decrypt(v.encrypted())
		require.NoError(t, err)
		want := &commonpb.Payload{
			Metadata: map[string][]byte{"encoding": []byte(v.Encoding), "encoding-encrypted-key-id": []byte(v.KeyID)},
			Data:     []byte(v.Data),
		}
		require.True(t, proto.Equal(want, plain), v.Name)
	}
}

func TestNoTwoPayloadsLookTheSame(t *testing.T) {
	t.Parallel()
	v := vectors(t)[0]
	c, plain := v.cipher(t), &commonpb.Payload{Data: []byte(v.Data)}
	first, err := c.encrypt(plain, newNonce())
	require.NoError(t, err)
	second, err := c.encrypt(plain, newNonce())
	require.NoError(t, err)
	require.False(t, bytes.Equal(first.GetData(), second.GetData()))
}

func TestAlteredPayloadsAreNotDecrypted(t *testing.T) {
	t.Parallel()
	v := vectors(t)[0]
	c := v.cipher(t)
	sealed, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(v.Encrypted, "AES-256-GCM:"))
	require.NoError(t, err)
	requireError := func(data string) {
		p := v.encrypted()
		p.Data = []byte(data)
		_, err := c.decrypt(p)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "01970000")
		require.NotContains(t, err.Error(), v.Key)
	}
	for i := range sealed {
		altered := bytes.Clone(sealed)
		altered[i] ^= 1
		requireError("AES-256-GCM:" + base64.StdEncoding.EncodeToString(altered))
	}
	for _, n := range []int{0, 11, 12, 27, len(sealed) - 1} {
		requireError("AES-256-GCM:" + base64.StdEncoding.EncodeToString(sealed[:n]))
	}
	requireError("")
	requireError(v.Data)
	requireError("AES-256-CBC:" + base64.StdEncoding.EncodeToString(sealed))
	requireError("AES-256-GCM:" + base64.RawStdEncoding.EncodeToString(append(sealed, 'x'))[1:])
	// Encrypted correctly, but not a payload.
	n := newNonce()
	requireError("AES-256-GCM:" + base64.StdEncoding.EncodeToString(c.aead.Seal(n[:], n[:], []byte("no payload"), nil)))
}

func TestKeysOfTheWrongSize(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 16, 31, 33} {
		_, err := newPayloadCipher("demo-key", domain.NewSecret(strings.Repeat("k", size)))
		require.ErrorIs(t, err, domain.ErrKeyLost)
		require.NotContains(t, err.Error(), "kkkk")
	}
}
