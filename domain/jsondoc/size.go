package jsondoc

import (
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"
)

var errSize = errors.New("must be a number of bytes: an integer, or text such as 500, 500 B, 10 MB (millions of bytes) and 10 MiB (1024 times 1024 bytes), up to GB and GiB")

// ReadSize parses the value of maxSize, in bytes; numbers are json.Number. In text a number may be followed by a unit, in any case and
// after an optional space.
func ReadSize(value any) (int64, error) {
	switch v := value.(type) {
	case json.Number:
		// As an integer of JSON Schema it may be written 1.0 or 1e6.
		number, ok := new(big.Rat).SetString(v.String())
		if !ok || !number.IsInt() || number.Sign() < 0 || !number.Num().IsInt64() {
			return 0, errSize
		}
		return number.Num().Int64(), nil
	case string:
		end := 0
		for end < len(v) && '0' <= v[end] && v[end] <= '9' {
			end++
		}
		count, err := strconv.ParseInt(v[:end], 10, 64)
		factor, ok := unitSize(strings.TrimPrefix(v[end:], " "))
		if err != nil || !ok || count > (1<<63-1)/factor {
			return 0, errSize
		}
		return count * factor, nil
	}
	return 0, errSize
}

func unitSize(name string) (int64, bool) {
	switch strings.ToLower(name) {
	case "", "b":
		return 1, true
	case "kb":
		return 1e3, true
	case "mb":
		return 1e6, true
	case "gb":
		return 1e9, true
	case "kib":
		return 1 << 10, true
	case "mib":
		return 1 << 20, true
	case "gib":
		return 1 << 30, true
	}
	return 0, false
}
