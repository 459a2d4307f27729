package httpio

import (
	"errors"
	"net/mail"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

var (
	errNotUUID     = errors.New("must be a UUID")
	errNotEmail    = errors.New("must be an e-mail address")
	errNotDateTime = errors.New("must be an RFC 3339 date-time")
)

// maxEmailLength is the longest e-mail address that can be delivered to.
const maxEmailLength = 254

// StringFormats returns the checks behind "format" in the contract. They are
// stricter than the decoders of the generated types, so a value that passes
// here can always be decoded.
func StringFormats() openapi3.SchemaValidationOption {
	return openapi3.WithStringFormatValidators(map[string]openapi3.StringFormatValidator{
		"uuid":      openapi3.NewCallbackValidator(checkUUID),
		"email":     openapi3.NewCallbackValidator(checkEmail),
		"date-time": openapi3.NewCallbackValidator(checkDateTime),
	})
}

func checkUUID(value string) error {
	if len(value) != 36 {
		return errNotUUID
	}
	for i := range len(value) {
		b := value[i]
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
		if dash != (b == '-') || !dash && !hex {
			return errNotUUID
		}
	}
	return nil
}

func checkEmail(value string) error {
	if len(value) > maxEmailLength {
		return errNotEmail
	}
	address, err := mail.ParseAddress(value)
	// A display name or comment would parse too, but it is not an address.
	if err != nil || address.Address != value || address.Name != "" {
		return errNotEmail
	}
	if strings.ContainsAny(value, "\"\x00 ") {
		return errNotEmail
	}
	return nil
}

func checkDateTime(value string) error {
	if _, err := time.Parse(time.RFC3339Nano, value); err != nil {
		return errNotDateTime
	}
	return nil
}
