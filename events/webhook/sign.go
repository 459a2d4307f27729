package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// The headers of Standard Webhooks.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// Sign returns the value of the webhook-signature header for a body that is sent
// now under an id: one v1 signature for each secret, separated by spaces, so that
// a receiver may know either of two secrets during a rotation. The
// webhook-timestamp that goes with it is Timestamp(now). An id must not contain a
// full stop, which separates the signed parts.
func Sign(id string, now time.Time, body []byte, secrets ...Secret) string {
	signatures := make([]string, 0, len(secrets))
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret.key.Reveal()))
		// Writing to a hash never fails.
		_, _ = mac.Write([]byte(id + "." + Timestamp(now) + "."))
		_, _ = mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}

// Timestamp returns the value of the webhook-timestamp header: the seconds since
// the epoch.
func Timestamp(now time.Time) string { return strconv.FormatInt(now.Unix(), 10) }
