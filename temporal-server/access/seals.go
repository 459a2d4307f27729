package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// kind is the kind of a token of Temporal. A token of one kind can be decoded as one of another, so each seal covers the kind.
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

// sealField is the protobuf field of a seal. Temporal's tokens are protobuf messages, and decoders skip unknown fields, so a sealed
// token remains valid for Temporal.
const sealField = 48_879

// sealBytes returns the number of bytes that a seal adds to a token: the tag of the field, its length and the seal.
func sealBytes() int { return len(sealHead()) + sha256.Size }

func sealHead() []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, sealField, protowire.BytesType), sha256.Size)
}

// sealer binds tokens to the caller that received them. Temporal's own tokens only name their subject, so a caller could forge them. The
// seal is a MAC of the token with a key of the cluster: it needs no record of each token and is valid in every frontend, also after a
// restart.
type sealer struct {
	key []byte
}

// seal returns token with a seal for one subject of one namespace. It returns an empty token unchanged.
func (s sealer) seal(k kind, namespace, subject string, token []byte) []byte {
	if len(token) == 0 {
		return token
	}
	sealed := make([]byte, 0, len(token)+sealBytes())
	sealed = append(sealed, token...)
	sealed = append(sealed, sealHead()...)
	return append(sealed, s.computeMAC(k, namespace, subject, token)...)
}

// isSealed reports whether sealed is a token of kind k with a valid seal for subject.
func (s sealer) isSealed(k kind, namespace, subject string, sealed []byte) bool {
	token := removeSeal(sealed)
	return len(token) > 0 && len(token) < len(sealed) &&
		hmac.Equal(sealed[len(sealed)-sha256.Size:], s.computeMAC(k, namespace, subject, token))
}

func (s sealer) computeMAC(k kind, namespace, subject string, token []byte) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, part := range []string{string(k), namespace, subject} {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part)))) //nolint:gosec // names are short
		h.Write([]byte(part))
	}
	h.Write(token)
	return h.Sum(nil)
}

// removeSeal returns a token without its seal, if it has one.
func removeSeal(sealed []byte) []byte {
	at := len(sealed) - sealBytes()
	if at < 0 || string(sealed[at:at+len(sealHead())]) != string(sealHead()) {
		return sealed
	}
	return sealed[:at:at]
}
