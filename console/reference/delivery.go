package reference

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/getkin/kin-openapi/openapi3"
)

// exampleKey is the key behind the secret that examples are signed with.
const exampleKey = "the secret of an example"

// deliveryRequest returns the example of a request that the service sends to a subscriber.
func deliveryRequest(method string, o *openapi3.Operation) string {
	body := sampleJSON(o.RequestBody.Value.Content["application/json"].Schema)
	headers := map[string]string{"webhook-id": "00000000-0000-0000-0000-000000000001", "webhook-timestamp": "1769860800"}
	mac := hmac.New(sha256.New, []byte(exampleKey))
	// Writing to a hash never fails.
	_, _ = mac.Write([]byte(headers["webhook-id"] + "." + headers["webhook-timestamp"] + "." + body))
	headers["webhook-signature"] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	head := method + " /of-the-subscription HTTP/1.1\nContent-Type: application/json\n"
	for _, p := range o.Parameters {
		head += p.Value.Name + ": " + headers[p.Value.Name] + "\n"
	}
	return head + "\n" + body
}

// verificationCode returns a command that computes the signature of a delivery from its id, its timestamp and its
// received body, separated by full stops. The key is base64 after the prefix whsec_.
func verificationCode() string {
	return `SECRET=whsec_` + base64.StdEncoding.EncodeToString([]byte(exampleKey)) + `
KEY=$(printf %s "${SECRET#whsec_}" | base64 --decode | od -An -v -tx1 | tr -d ' \n')
printf %s "$WEBHOOK_ID.$WEBHOOK_TIMESTAMP.$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt hexkey:"$KEY" -binary | base64`
}
