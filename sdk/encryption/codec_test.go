package encryption

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// vector is an encrypted payload that another implementation made.
type vector struct {
	Name, KeyID, Encoding, Data, Encrypted string
	Key                                    []byte
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("../../engine/testdata/encryption.json")
	require.NoError(t, err)
	var found []vector
	require.NoError(t, json.Unmarshal(text, &found))
	require.NotEmpty(t, found)
	return found
}

// keysOf has the keys of the vectors.
func keysOf(t *testing.T) *Keys {
	t.Helper()
	return NewKeys(time.Now, func(_ context.Context, id string) ([]byte, error) {
		for _, v := range readVectors(t) {
			if v.KeyID == id {
				return v.Key, nil
			}
		}
		return nil, errors.New("no such key")
	})
}

func (v vector) newPayload() *commonpb.Payload {
	return &commonpb.Payload{
		Metadata: map[string][]byte{"encoding": []byte(encoding), "encoding-encrypted-key-id": []byte(v.KeyID)},
		Data:     []byte(v.Encrypted),
	}
}

func TestDecodeReadsPayloadsOfOtherSDKs(t *testing.T) {
	t.Parallel()
	c := &codec{keys: keysOf(t)}
	for _, v := range readVectors(t) {
		decoded, err := c.Decode([]*commonpb.Payload{v.newPayload()})
		require.NoError(t, err)
		require.Equal(t, v.Data, string(decoded[0].GetData()), v.Name)
		require.Equal(t, v.Encoding, string(decoded[0].GetMetadata()["encoding"]), v.Name)
	}
}

func TestEncodeHidesPayloads(t *testing.T) {
	t.Parallel()
	c := &codec{keys: keysOf(t), keyID: "demo-key"}
	plain := &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(`"Carol"`)}
	encoded, err := c.Encode([]*commonpb.Payload{plain, plain})
	require.NoError(t, err)
	require.NotEqual(t, encoded[0].GetData(), encoded[1].GetData())
	for _, p := range encoded {
		require.Equal(t, vector{KeyID: "demo-key"}.newPayload().GetMetadata(), p.GetMetadata())
		text, ok := strings.CutPrefix(string(p.GetData()), "AES-256-GCM:")
		require.True(t, ok)
		sealed, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		require.NotContains(t, string(sealed), "Carol")
	}
	decoded, err := (&codec{keys: keysOf(t)}).Decode(encoded)
	require.NoError(t, err)
	require.Equal(t, `"Carol"`, string(decoded[1].GetData()))
	require.Equal(t, "demo-key", string(decoded[1].GetMetadata()["encoding-encrypted-key-id"]))
	require.Len(t, plain.GetMetadata(), 1, "the payload itself stays as it is")
}

func TestWithoutAKeyPayloadsAreUnchanged(t *testing.T) {
	t.Parallel()
	plain := []*commonpb.Payload{{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(`1`)}}
	c := &codec{keys: keysOf(t)}
	encoded, err := c.Encode(plain)
	require.NoError(t, err)
	require.Equal(t, plain, encoded)
	decoded, err := c.Decode(plain)
	require.NoError(t, err)
	require.Equal(t, plain, decoded)
}

func TestCodecRefusesUnreadablePayloads(t *testing.T) {
	t.Parallel()
	v := readVectors(t)[0]
	c := &codec{keys: keysOf(t), keyID: "absent"}
	_, err := c.Encode([]*commonpb.Payload{{Data: []byte("1")}})
	require.ErrorContains(t, err, "no such key")
	for name, change := range map[string]func(*vector){
		"another key":   func(v *vector) { v.KeyID = "absent" },
		"another way":   func(v *vector) { v.Encrypted = "AES-128-GCM:" + v.Encrypted[12:] },
		"no base64":     func(v *vector) { v.Encrypted = "AES-256-GCM:%%%%" },
		"nothing":       func(v *vector) { v.Encrypted = "AES-256-GCM:" },
		"altered":       func(v *vector) { v.Encrypted = v.Encrypted[:20] + "BBBB" + v.Encrypted[24:] },
		"without a tag": func(v *vector) { v.Encrypted = v.Encrypted[:len(v.Encrypted)-24] },
	} {
		wrong := v
		change(&wrong)
		_, err := c.Decode([]*commonpb.Payload{wrong.newPayload()})
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), base64.StdEncoding.EncodeToString(v.Key), name)
	}
}

func TestTheConverterFollowsTheContext(t *testing.T) {
	t.Parallel()
	c := &dataConverter{newConverter(keysOf(t), ""), keysOf(t)}
	open, err := c.WithContext(t.Context()).ToPayload("Carol")
	require.NoError(t, err)
	require.Equal(t, `"Carol"`, string(open.GetData()))
	hidden, err := c.WithContext(context.WithValue(t.Context(), contextKey{}, "demo-key")).ToPayload("Carol")
	require.NoError(t, err)
	require.Equal(t, encoding, string(hidden.GetMetadata()[converter.MetadataEncoding]))
	var text string
	require.NoError(t, c.FromPayload(hidden, &text))
	require.Equal(t, "Carol", text)
}
