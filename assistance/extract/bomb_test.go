package extract_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance/extract"
)

func deflated(tb testing.TB, data string) string {
	tb.Helper()
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, zlib.BestCompression)
	require.NoError(tb, err)
	_, err = io.WriteString(w, data)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return out.String()
}

// manyCharacters returns a PDF of less than a kilobyte that shows a code 20,000 times
// which its font makes 100,000 characters of.
func manyCharacters(tb testing.TB) string {
	tb.Helper()
	packed := func(data string) string {
		return stream("/Filter[/FlateDecode/FlateDecode]", deflated(tb, deflated(tb, data)))
	}
	return page(
		"4 0 R", packed("BT /F 10 Tf 50 700 Td ("+strings.Repeat("A", 20_000)+") Tj ET"),
		"<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/ToUnicode 6 0 R>>",
		packed("begincmap 1 beginbfchar <41> <"+strings.Repeat("0041", 100_000)+"> endbfchar endcmap"),
	)
}

// manyContents returns a PDF of a megabyte with a page that has the same content 2,000 times.
func manyContents() string {
	content := strings.Repeat("BT /F 1 Tf (abcdefgh) Tj ET ", 1<<20/28)
	return page("["+strings.Repeat("4 0 R ", 2_000)+"]", stream("", content), helvetica)
}

// Documents that are crafted to exhaust memory cost the service almost none,
// and their children little.
func TestBombs(t *testing.T) { //nolint:paralleltest // It looks at the memory of the process.
	if runtime.GOOS != "linux" {
		t.Skip("children are restricted on Linux only")
	}
	spread := strings.Repeat("\"\n\",,,,,,,,", 1<<20)
	for _, test := range []struct { //nolint:paralleltest // As above.
		name, body string
		want       extract.Reason
	}{
		{"characters.pdf", manyCharacters(t), ""},
		{"contents.pdf", manyContents(), extract.ReasonTooSlow},
		{"commas.csv", strings.Repeat(",", 24<<20), extract.ReasonTooLarge},
		{"spread.csv", spread, extract.ReasonTooLarge},
		{"text.docx", word(t, "<w:p><w:t>"+strings.Repeat("a", 90<<20)+"</w:t></w:p>"), extract.ReasonTooLarge},
		{"texts.docx", word(t, "<w:p>"+strings.Repeat("<w:t>a</w:t>", 1<<20)+"</w:p>"), ""},
		{"strings.xlsx", archive(t, "xl/workbook.xml", "<workbook/>", "xl/sharedStrings.xml",
			"<sst>"+strings.Repeat("<si><t>"+strings.Repeat("a", 80)+"</t></si>", 200_000)+"</sst>"), extract.ReasonEmpty},
		{"windows.txt", "\xfc" + strings.Repeat("ü ", 8<<20), ""},
		{"wide.json", "[" + strings.Repeat("1,", 12<<20) + "1]", ""},
		{"tags.html", strings.Repeat("<p>", 8<<20), extract.ReasonEmpty},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := memory()
			stop, peak := watch()
			begun := time.Now()
			text, err := readSized(t.Context(), test.name, test.body)
			took := time.Since(begun)
			stop()
			t.Logf("%d bytes: %v, %d bytes of text, %v, peak %+d KiB", len(test.body), err, len(text.Body), took, (int64(peak.Load())-int64(before))>>10)
			require.Less(t, int64(peak.Load())-int64(before), int64(64<<20))
			require.Less(t, took, 30*time.Second, "on a machine that does much else")
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			var fault *extract.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, test.want, fault.Reason, "%v", fault.Cause)
		})
	}
}

// readSized reads a document of known size in a child.
func readSized(ctx context.Context, name, body string) (extract.Text, error) {
	return extract.NewReader(extract.Options{PDFToText: "/usr/bin/pdftotext"}).Read(
		ctx, extract.Document{Name: name, Size: int64(len(body))},
		func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil },
	)
}

// memory returns the size of the heap of this process.
func memory() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// watch samples the heap until stop is called; peak is the maximum.
func watch() (stop func(), peak *atomic.Uint64) {
	peak = &atomic.Uint64{}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			peak.Store(max(peak.Load(), stats.HeapAlloc))
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() { close(done); <-stopped }, peak
}

// program writes a program that does something else than pdftotext.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pdftotext")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
	return path
}

// A child that is lost is tried once more, and the document is given up then.
func TestLostChildren(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script  string
		reason  extract.Reason
		opened  int
		weakens bool
	}{
		"killed":        {"kill -9 $$", extract.ReasonUnreadable, 2, true},
		"crashing":      {"kill -11 $$", extract.ReasonBroken, 1, false},
		"not a program": {"", extract.ReasonUnreadable, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.weakens && runtime.GOOS != "linux" {
				t.Skip("children are restricted on Linux only")
			}
			path := "/nowhere/pdftotext"
			if test.script != "" {
				path = program(t, test.script)
			}
			opened := 0
			_, err := extract.NewReader(extract.Options{PDFToText: path}).Read(
				t.Context(), extract.Document{Name: "a.pdf"}, func() (io.ReadCloser, error) {
					opened++
					return io.NopCloser(strings.NewReader(pagePDF("q"))), nil
				},
			)
			var fault *extract.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, test.reason, fault.Reason, "%v", fault.Cause)
			require.Equal(t, test.opened, opened)
		})
	}
	errGone := errors.New("gone")
	_, err := extract.NewReader(extract.Options{}).Read(t.Context(), extract.Document{Name: "a.txt"},
		func() (io.ReadCloser, error) { return nil, errGone })
	require.Equal(t, errGone, err)
}

// The text of the pages before a limit is kept.
func TestPagesBeforeALimit(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"time": "echo one; kill -STOP $$", "memory": "echo one; echo Out of memory >&2; exit 1", "damage": "echo one; exit 1",
	} {
		limits := extract.DefaultLimits()
		if name == "time" {
			limits.Time = time.Second
		}
		text, err := extract.NewReader(extract.Options{PDFToText: program(t, script), Limits: limits}).Read(
			t.Context(), extract.Document{Name: "a.pdf"},
			func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil },
		)
		require.NoError(t, err, name)
		require.Equal(t, extract.Text{Body: "one", Truncated: true}, text, name)
	}
}

// Where there is no pdftotext, PDFs are not read and everything else is.
func TestWithoutPDFToText(t *testing.T) {
	t.Parallel()
	r := extract.NewReader(extract.Options{})
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil }
	_, err := r.Read(t.Context(), extract.Document{Name: "a.pdf"}, open)
	var fault *extract.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, extract.ReasonType, fault.Reason)
	require.ErrorContains(t, fault.Cause, "there is no pdftotext")
	text, err := r.Read(t.Context(), extract.Document{Name: "a.txt"}, open)
	require.NoError(t, err)
	require.Equal(t, "text", text.Body)
}

// BenchmarkRead reads a small document, including the start of its child.
func BenchmarkRead(b *testing.B) {
	for _, test := range []struct{ name, body string }{{"a.txt", "text"}, {"a.pdf", pagePDF("BT /F 10 Tf (a) Tj ET")}} {
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				_, err := readSized(b.Context(), test.name, test.body)
				require.NoError(b, err)
			}
		})
	}
	b.Run(fmt.Sprintf("a %d MiB table", 10), func(b *testing.B) {
		table := strings.Repeat("one,two,three,four\n", 10<<20/19)
		for b.Loop() {
			_, err := readSized(b.Context(), "a.csv", table)
			require.NoError(b, err)
		}
	})
}
