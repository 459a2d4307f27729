package blobstore

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeS3 is the part of S3 that a Store uses, for one bucket.
type fakeS3 struct {
	discard bool // keep sizes only

	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]map[int][]byte
	started int
	aborted int
	largest int64 // the largest part
}

// newFakeS3 starts the server and returns the URL for Open.
func newFakeS3(t *testing.T, discard bool) (*fakeS3, string) {
	t.Helper()
	f := &fakeS3{discard: discard, objects: make(map[string][]byte), uploads: make(map[string]map[int][]byte)}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, "s3://documents?anonymous=true&region=local&use_path_style=true&request_checksum_calculation=when_required" +
		"&response_checksum_validation=when_required&endpoint=" + server.URL
}

func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := f.body(r)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	name := strings.TrimPrefix(r.URL.Path, "/documents/")
	upload := r.URL.Query().Get("uploadId")
	_, exists := f.objects[name]
	switch {
	case r.Method == http.MethodGet && r.URL.Query().Has("list-type"):
		f.list(w, r)
	case r.Method == http.MethodHead && name == "/documents":
	case r.Method == http.MethodPost && r.URL.Query().Has("uploads"):
		f.started++
		id := fmt.Sprint("upload-", f.started)
		f.uploads[id] = make(map[int][]byte)
		answer(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case upload != "" && f.uploads[upload] == nil:
		w.WriteHeader(http.StatusNotFound)
		answer(w, "<Error><Code>NoSuchUpload</Code></Error>")
	case r.Method == http.MethodPut && upload != "":
		part, _ := strconv.Atoi(r.URL.Query().Get("partNumber"))
		f.uploads[upload][part] = body
		w.Header().Set("ETag", `"part"`)
	case r.Method == http.MethodDelete && upload != "":
		delete(f.uploads, upload)
		f.aborted++
		w.WriteHeader(http.StatusNoContent)
	case exists && r.Header.Get("If-None-Match") == "*":
		w.WriteHeader(http.StatusPreconditionFailed)
		answer(w, "<Error><Code>PreconditionFailed</Code></Error>")
	case r.Method == http.MethodPost && upload != "":
		var whole []byte
		for part := range len(f.uploads[upload]) {
			whole = append(whole, f.uploads[upload][part+1]...)
		}
		f.objects[name] = whole
		delete(f.uploads, upload)
		answer(w, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
	case r.Method == http.MethodPut:
		f.objects[name] = body
	case r.Method == http.MethodDelete:
		delete(f.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case !exists:
		w.WriteHeader(http.StatusNotFound)
		answer(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		http.ServeContent(w, r, "", time.Now(), bytes.NewReader(f.objects[name]))
	}
}

// body reads the request's body.
func (f *fakeS3) body(r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	var keep io.Writer = &body
	if f.discard {
		keep = io.Discard
	}
	size, err := io.Copy(keep, r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.largest = max(f.largest, size)
	return body.Bytes(), err
}

func (f *fakeS3) list(w http.ResponseWriter, r *http.Request) {
	type content struct {
		Key          string
		Size         int
		LastModified string
	}
	var result struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Contents              []content
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
	}
	var names []string
	for name := range f.objects {
		if name > r.URL.Query().Get("continuation-token") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	limit, _ := strconv.Atoi(r.URL.Query().Get("max-keys"))
	if len(names) > limit {
		names, result.IsTruncated, result.NextContinuationToken = names[:limit], true, names[limit-1]
	}
	modified := time.Now().UTC().Format(time.RFC3339)
	for _, name := range names {
		result.Contents = append(result.Contents, content{name, len(f.objects[name]), modified})
	}
	_ = xml.NewEncoder(w).Encode(result)
}

func answer(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, args...)
}

func TestS3AbortsAnUploadThatItsClientAbandons(t *testing.T) {
	t.Parallel()
	fake, location := newFakeS3(t, true)
	store := openStore(t, location)
	ctx, abandon := newAbandonedContext(t)

	_, err := store.Put(ctx, newKey(), &callAfter{n: 12 << 20, call: abandon}, 1<<30)

	require.ErrorIs(t, err, ctx.Err())
	require.Empty(t, fake.objects)
	require.Empty(t, fake.uploads)
	require.Equal(t, 1, fake.aborted)
}

func TestS3PartsAreSmall(t *testing.T) {
	t.Parallel()
	fake, location := newFakeS3(t, true)
	store := openStore(t, location)

	stored, err := store.Put(t.Context(), newKey(), newPattern(23<<20), 1<<30)

	require.NoError(t, err)
	require.EqualValues(t, 23<<20, stored.Size)
	require.EqualValues(t, partSize, fake.largest)
}
