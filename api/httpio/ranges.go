package httpio

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// maxRanges limits the ranges of a request. A header with more ranges is ignored, as RFC 9110, section 14.2, allows for
// many small ranges.
const maxRanges = 16

// A byteRange is a part of a document: its first and its last position.
type byteRange struct{ first, last int64 }

// parseRanges parses a Range header (RFC 9110, section 14.1) of the unit bytes for a document of a size. applies is false
// for a header that must be ignored, and valid for a malformed set. found contains the satisfiable ranges.
func parseRanges(header string, size int64) (found []byteRange, applies, valid bool) {
	unit, set, ok := strings.Cut(header, "=")
	if !ok || !strings.EqualFold(unit, "bytes") || size == 0 {
		return nil, false, false
	}
	specs := 0
	for spec := range strings.SplitSeq(set, ",") {
		if spec = strings.Trim(spec, " \t"); spec == "" {
			continue
		}
		specs++
		r, ok := parseRange(spec, size)
		if !ok {
			return nil, true, false
		}
		if r.first <= r.last {
			found = append(found, r)
		}
	}
	return found, specs <= maxRanges, specs > 0
}

// parseRange parses an int-range or a suffix-range. An unsatisfiable range has its last position before its first one.
func parseRange(spec string, size int64) (byteRange, bool) {
	first, last, ok := strings.Cut(spec, "-")
	if !ok {
		return byteRange{}, false
	}
	if first == "" {
		length, ok := parsePosition(last)
		return byteRange{size - min(length, size), size - 1}, ok
	}
	r := byteRange{last: size - 1}
	if r.first, ok = parsePosition(first); !ok {
		return r, false
	}
	if last != "" {
		end, ok := parsePosition(last)
		if !ok || isBefore(last, first) {
			return r, false
		}
		r.last = min(end, size-1)
	}
	return r, true
}

// parsePosition parses digits. Numbers beyond int64 become its maximum.
func parsePosition(digits string) (int64, bool) {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
	}
	position, err := strconv.ParseInt(digits, 10, 64)
	if err != nil && digits != "" {
		return math.MaxInt64, true
	}
	return position, digits != ""
}

// isBefore compares two numbers of any size.
func isBefore(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) < len(b) || len(a) == len(b) && a < b
}

// normalizeRanges rewrites the Range header of a request for a document to the form that net/http reads. It reports
// whether the header is valid.
func normalizeRanges(request *http.Request, content io.Seeker) (valid bool, err error) {
	fields := request.Header.Values("Range")
	if len(fields) == 0 {
		return true, nil
	}
	request.Header.Del("Range")
	// RFC 9110 defines ranges for GET only.
	if request.Method != http.MethodGet {
		return true, nil
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return false, fmt.Errorf("determining the size of a document: %w", err)
	}
	found, applies, valid := parseRanges(strings.Join(fields, ", "), size)
	if !applies {
		return true, nil
	}
	texts := make([]string, len(found))
	for i, r := range found {
		texts[i] = fmt.Sprintf("%d-%d", r.first, r.last)
	}
	if len(found) == 0 {
		texts = []string{fmt.Sprintf("%d-", size)} // net/http answers 416 to it, unless a precondition decides first.
	}
	request.Header.Set("Range", "bytes="+strings.Join(texts, ","))
	return valid, nil
}
