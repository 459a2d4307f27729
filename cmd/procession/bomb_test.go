package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// bombPDF returns a PDF of one page with a content, which may be several, and more
// objects from the fifth on.
func bombPDF(contents string, list ...string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	for i, body := range append([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents " + contents + "/Resources<</Font<</F 5 0 R>>>>>>",
	}, list...) {
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	out.WriteString("trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
	return out.Bytes()
}

func bombStream(members, data string) string {
	return fmt.Sprintf("<</Length %d %s>>\nstream\n%s\nendstream", len(data), members, data)
}

// packedStream returns a stream that is compressed twice.
func packedStream(t *testing.T, data string) string {
	t.Helper()
	for range 2 {
		var out bytes.Buffer
		w, err := zlib.NewWriterLevel(&out, zlib.BestCompression)
		require.NoError(t, err)
		_, err = io.WriteString(w, data)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		data = out.String()
	}
	return bombStream("/Filter[/FlateDecode/FlateDecode]", data)
}

// progressive returns a grey JPEG of 5,000 by 5,000 pixels with empty refinement scans: a bit for each block of
// each of three channels.
func progressive() []byte {
	const side = 5000
	out := []byte{0xff, 0xd8, 0xff, 0xdb, 0, 67, 0}
	out = append(out, bytes.Repeat([]byte{1}, 64)...)
	out = append(out, 0xff, 0xc2, 0, 17, 8, side>>8, side&0xff, side>>8, side&0xff, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
	out = append(out, 0xff, 0xc4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	out = append(out, 0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)
	out = append(out, make([]byte, side/8*side/8*3/8+1)...)
	return append(out, 0xff, 0xd9)
}

// costs requires that do raises the memory of the service by less than 64 MiB, and returns the processor time
// of its children.
func (s *testStack) costs(name string, do func()) time.Duration {
	s.t.Helper()
	pid := s.service.PID()
	require.NoError(s.t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600))
	before, children, begun := s.resident("VmRSS"), s.childTime(), time.Now()
	do()
	grown, used := s.resident("VmHWM")-before, s.childTime()-children
	s.t.Logf("%s: %v, children used %v, the service grew by %d KiB", name, time.Since(begun), used, grown>>10)
	require.Less(s.t, grown, int64(64<<20), name)
	return used
}

// childTime returns how much processor time the children of the service took that have
// ended.
func (s *testStack) childTime() time.Duration {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.service.PID()))
	require.NoError(s.t, err)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, field := range fields[13:15] {
		n, err := strconv.ParseInt(field, 10, 64)
		require.NoError(s.t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// Documents and forms built to exhaust memory or time cost the service little: the run continues and reports
// the unreadable ones.
func TestBombs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("children are restricted on Linux only")
	}
	s := newFeatureStack(t, func(s *testStack) { s.config.AssistanceBuiltin, s.config.FormsAsDocuments = true, true })
	const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	for _, test := range []struct {
		name, contentType string
		content           []byte
		problem           any
	}{
		{
			"characters.pdf", "application/pdf",
			bombPDF("4 0 R", packedStream(t, "BT /F 10 Tf 50 700 Td ("+strings.Repeat("A", 20_000)+") Tj ET"),
				"<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/ToUnicode 6 0 R>>",
				packedStream(t, "begincmap 1 beginbfchar <41> <"+strings.Repeat("0041", 100_000)+"> endbfchar endcmap")), nil,
		},
		{
			"contents.pdf", "application/pdf",
			bombPDF("["+strings.Repeat("4 0 R ", 2_000)+"]",
				bombStream("", strings.Repeat("BT /F 1 Tf (abcdefgh) Tj ET ", 1<<20/28)), helvetica), "TOO_SLOW",
		},
		{"commas.csv", "text/csv", bytes.Repeat([]byte(","), 24<<20), "TOO_LARGE"},
	} {
		task := s.approval(test.contentType, test.name, test.content)
		used := s.costs(test.name, func() {
			s.assist(task)
			run := s.awaitAnswer(task)
			documents := field[[]any](t, run, "documents")
			require.Len(t, documents, 1)
			document, ok := documents[0].(map[string]any)
			require.True(t, ok)
			require.Equal(t, test.problem, document["problem"])
		})
		require.Less(t, used, 2*time.Second)
	}

	formtest.RequirePool(t)
	photo := s.approval("image/jpeg", "photo.jpg", progressive())
	s.costs("photo.jpg", func() { require.Equal(t, http.StatusOK, s.formStatus(photo, "")) })
	loan := strings.TrimPrefix(s.loan(), "/processes/")
	rows := make([]any, 100_001)
	for i := range rows {
		rows[i] = map[string]any{}
	}
	status, item := s.call(demo.Alice(), http.MethodPost, "/process-items", map[string]any{
		"type": "TASK", "processId": loan, "processItemDefinitionCode": "APPROVE_LOAN",
		"task": map[string]any{"data": map[string]any{"value": map[string]any{"rows": rows}}},
	})
	require.Equal(t, http.StatusCreated, status, item)
	used := s.costs("rows", func() {
		require.Equal(t, http.StatusConflict, s.formStatus("/process-items/"+field[string](t, item, "id"), "/rows"))
	})
	require.Less(t, used, 2*time.Second)
}

// formStatus returns the status of a download of a form as PDF.
func (s *testStack) formStatus(task, pointer string) int {
	s.t.Helper()
	answer, err := s.http.Do(s.documentRequest(s.t.Context(), http.MethodGet,
		task+"/task/data/~actions/download-webforms-as-document?"+url.Values{"propertyPath": {pointer}}.Encode(), nil))
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(s.t, err)
	return answer.StatusCode
}
