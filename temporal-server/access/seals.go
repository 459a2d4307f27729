package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// kind is what a token of Temporal's stands for. A token of one kind can be read as one of another, so each seal covers the kind.
type kind string

const (
	kindWorkflowTask kind = "workflow task"
	kindActivityTask kind = "activity task"
	kindQueryTask    kind = "query task"
	kindNexusTask    kind = "nexus task"
	kindHistoryPage  kind = "history page"
)

// SealKeyBytes is the length of the key that a [Store] keeps.
const SealKeyBytes = sha256.Size

// sealField is the protobuf field that carries a seal. Temporal's tokens are protobuf messages, whose readers skip fields they do not
// know, so a sealed token is a good token to whatever reads it without looking at the seal.
const sealField = 48_879

// sealBytes is how much longer a sealed token is: the field's tag, its length, and the seal.
func sealBytes() int { return len(sealHead()) + sha256.Size }

func sealHead() []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, sealField, protowire.BytesType), sha256.Size)
}

// sealer marks tokens with the caller they were handed to. Temporal's own say only what they are about, which a caller could write as
// well. The seal is computed from the token and a key of the cluster: it needs no record of each token, holds in every frontend, and
// after a restart.
type sealer struct {
	key []byte
}

// seal returns token with a seal for one subject of one namespace. Where there is no token there is nothing to seal.
func (s sealer) seal(k kind, namespace, subject string, token []byte) []byte {
	if len(token) == 0 {
		return token
	}
	sealed := make([]byte, 0, len(token)+sealBytes())
	sealed = append(sealed, token...)
	sealed = append(sealed, sealHead()...)
	return append(sealed, s.sum(k, namespace, subject, token)...)
}

// holds says whether sealed is a token of kind k that was handed to subject.
func (s sealer) holds(k kind, namespace, subject string, sealed []byte) bool {
	token := unsealed(sealed)
	return len(token) > 0 && len(token) < len(sealed) &&
		hmac.Equal(sealed[len(sealed)-sha256.Size:], s.sum(k, namespace, subject, token))
}

func (s sealer) sum(k kind, namespace, subject string, token []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, part := range []string{string(k), namespace, subject} {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part)))) //nolint:gosec // names are short
		h.Write([]byte(part))
	}
	h.Write(token)
	return h.Sum(nil)
}

// unsealed returns a token as Temporal made it, whether it carries a seal or not.
func unsealed(sealed []byte) []byte {
	at := len(sealed) - sealBytes()
	if at < 0 || string(sealed[at:at+len(sealHead())]) != string(sealHead()) {
		return sealed
	}
	return sealed[:at:at]
}
