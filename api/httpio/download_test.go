package httpio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

const digits = "0123456789"

type closing struct{ io.ReadSeeker }

func (closing) Close() error { return nil }

// serveDocument sends the document and returns its answer with the status of an error.
func serveDocument(t *testing.T, document, method string, header http.Header) (*httptest.ResponseRecorder, *domain.Error) {
	t.Helper()
	request := httptest.NewRequest(method, "/", nil)
	request.Header = header
	d := &Download{
		ContentType: "text/plain", Content: closing{strings.NewReader(document)}, request: request,
		Deliver: func(context.Context) error { return nil },
	}
	recorder := httptest.NewRecorder()
	err := d.Serve(recorder)
	if err == nil {
		return recorder, nil
	}
	var domainErr *domain.Error
	require.ErrorAs(t, err, &domainErr)
	recorder.Code, _ = StatusOf(domainErr.Kind)
	return recorder, domainErr
}

// bodyParts returns the Content-Range and the text of each part of an answer.
func bodyParts(t *testing.T, answer *httptest.ResponseRecorder) []string {
	t.Helper()
	media, params, err := mime.ParseMediaType(answer.Header().Get("Content-Type"))
	require.NoError(t, err)
	if media != "multipart/byteranges" {
		return []string{answer.Header().Get("Content-Range") + " " + answer.Body.String()}
	}
	var parts []string
	for reader := multipart.NewReader(answer.Body, params["boundary"]); ; {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		parts = append(parts, part.Header.Get("Content-Range")+" "+string(text))
	}
}

func TestServeReadsRanges(t *testing.T) {
	t.Parallel()
	whole := []string{" " + digits}
	part := func(first, last int) string {
		return fmt.Sprintf("bytes %d-%d/10 %s", first, last, digits[first:last+1])
	}
	const huge = "99999999999999999999999999"
	for value, want := range map[string][]string{
		// Satisfiable ranges.
		"bytes=0-0": {part(0, 0)}, "bytes=2-4": {part(2, 4)}, "bytes=9-9": {part(9, 9)}, "bytes=3-": {part(3, 9)},
		"bytes=00-001": {part(0, 1)}, "bytes=-3": {part(7, 9)}, "bytes=-10": {part(0, 9)}, "bytes=-11": {part(0, 9)},
		"bytes=5-10": {part(5, 9)}, "bytes=0-18446744073709551615": {part(0, 9)}, "bytes=8-" + huge: {part(8, 9)},
		"bytes=-" + huge: {part(0, 9)}, "Bytes=0-1": {part(0, 1)}, "BYTES=-1": {part(9, 9)},
		"bytes=0-0,9-": {part(0, 0), part(9, 9)}, "bytes= 0-0 ,\t-1 ": {part(0, 0), part(9, 9)},
		"bytes=,,5-5,,": {part(5, 5)}, "bytes=1-1,20-30,-0": {part(1, 1)}, "bytes=4-5,1-2": {part(4, 5), part(1, 2)},
		// Ignored: another unit, an overlap that is longer than the document, many ranges.
		"items=0-1": whole, "bytes": whole, "": whole, "seconds=bytes=1-2": whole, "=0-1": whole, "byte=0-1": whole,
		"bytes=0-8,1-9": whole, "bytes=" + strings.Repeat("0-0,", maxRanges) + "1-1": whole,
		// Unsatisfiable or malformed.
		"bytes=-0": nil, "bytes=10-": nil, "bytes=10-20": nil, "bytes=" + huge + "-": nil, "bytes=" + huge + "-" + huge: nil,
		"bytes=10-,-0": nil, "bytes=": nil, "bytes=,": nil, "bytes=-": nil, "bytes=--1": nil, "bytes=1": nil, "bytes=2-1": nil,
		"bytes=0-1,2-1": nil, "bytes=a-b": nil, "bytes=0 - 1": nil, "bytes=+1-2": nil, "bytes=1-2-3": nil, "bytes=0x1-2": nil,
		"bytes=" + huge + "9-" + huge: nil, "bytes=1_0-": nil, "bytes=٣-": nil, "bytes=0-1;2-3": nil,
	} {
		answer, domainErr := serveDocument(t, digits, http.MethodGet, http.Header{"Range": {value}})
		switch {
		case want == nil:
			require.Equal(t, http.StatusRequestedRangeNotSatisfiable, answer.Code, value)
			require.Equal(t, "Range", domainErr.Details[0].Location)
			require.Equal(t, "bytes */10", answer.Header().Get("Content-Range"), value)
		case slices.Equal(want, whole):
			require.Equal(t, http.StatusOK, answer.Code, value)
			require.Equal(t, digits, answer.Body.String(), value)
		default:
			require.Equal(t, http.StatusPartialContent, answer.Code, value)
			require.Equal(t, want, bodyParts(t, answer), value)
		}
		head, domainErr := serveDocument(t, digits, http.MethodHead, http.Header{"Range": {value}})
		require.Nil(t, domainErr, value)
		require.Equal(t, http.StatusOK, head.Code, value)
		require.Equal(t, "10", head.Header().Get("Content-Length"), value)
		empty, domainErr := serveDocument(t, "", http.MethodGet, http.Header{"Range": {value}})
		require.Nil(t, domainErr, value)
		require.Equal(t, http.StatusOK, empty.Code, value)
	}
	twice, _ := serveDocument(t, digits, http.MethodGet, http.Header{"Range": {"bytes=0-1", "bytes=2-3"}})
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, twice.Code)
}

// Generated sets of ranges have the positions that RFC 9110, section 14.1.2, gives them.
func TestServeReadsGeneratedRanges(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		size := 1 + random.IntN(12)
		var specs, want []string
		total := 0
		for range 1 + random.IntN(4) {
			first, last := random.IntN(14), random.IntN(14)
			switch random.IntN(3) {
			case 0:
				specs = append(specs, "-"+strconv.Itoa(last))
				first, last = max(size-last, 0), size-1
			case 1:
				specs = append(specs, strconv.Itoa(first)+"-")
				last = size - 1
			default:
				first, last = min(first, last), max(first, last)
				specs = append(specs, fmt.Sprintf("%d-%d", first, last))
				last = min(last, size-1)
			}
			if first <= last {
				want = append(want, fmt.Sprintf("bytes %d-%d/%d %s", first, last, size, (digits + "ab")[first:last+1]))
				total += last - first + 1
			}
		}
		value := "bytes=" + strings.Join(specs, ",")
		answer, _ := serveDocument(t, (digits + "ab")[:size], http.MethodGet, http.Header{"Range": {value}})
		switch {
		case len(want) == 0:
			require.Equal(t, http.StatusRequestedRangeNotSatisfiable, answer.Code, value)
		case total > size:
			require.Equal(t, http.StatusOK, answer.Code, value)
		default:
			require.Equal(t, http.StatusPartialContent, answer.Code, value)
			require.Equal(t, want, bodyParts(t, answer), value)
		}
	}
}

// Preconditions decide before the range (RFC 9110, section 13.2.2).
func TestServeChecksPreconditionsBeforeRanges(t *testing.T) {
	t.Parallel()
	whole, _ := serveDocument(t, digits, http.MethodGet, http.Header{})
	tag := whole.Header().Get("ETag")
	for name, c := range map[string]struct {
		header http.Header
		status int
	}{
		"If-Range, same tag":       {http.Header{"If-Range": {tag}}, 206},
		"If-Range, other tag":      {http.Header{"If-Range": {`"other"`}}, 200},
		"If-Range, weak tag":       {http.Header{"If-Range": {"W/" + tag}}, 200},
		"If-Range, date":           {http.Header{"If-Range": {"Sun, 06 Nov 1994 08:49:37 GMT"}}, 200},
		"If-Range, malformed":      {http.Header{"If-Range": {"other"}}, 200},
		"If-Range, out of range":   {http.Header{"If-Range": {`"other"`}, "Range": {"bytes=10-"}}, 200},
		"If-Match, same tag":       {http.Header{"If-Match": {`"other", ` + tag}}, 206},
		"If-Match in two fields":   {http.Header{"If-Match": {`"other"`, tag}}, 206},
		"If-Match, other tag":      {http.Header{"If-Match": {`"other"`}, "Range": {"bytes=10-"}}, 412},
		"If-None-Match, same tag":  {http.Header{"If-None-Match": {`"other", W/` + tag}, "Range": {"bytes=10-"}}, 304},
		"If-None-Match, two":       {http.Header{"If-None-Match": {`"other"`, tag}}, 304},
		"If-None-Match, other tag": {http.Header{"If-None-Match": {`"other"`}}, 206},
	} {
		if c.header.Get("Range") == "" {
			c.header.Set("Range", "bytes=1-2")
		}
		answer, _ := serveDocument(t, digits, http.MethodGet, c.header)
		require.Equal(t, c.status, answer.Code, name)
	}
}
