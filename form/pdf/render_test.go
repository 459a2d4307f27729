package pdf_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
)

func created() time.Time { return time.Date(2026, 3, 2, 10, 4, 5, 0, time.UTC) }

func newRenderer(tb testing.TB, limits pdf.Limits) *pdf.Renderer {
	tb.Helper()
	r, err := pdf.NewRenderer(limits)
	require.NoError(tb, err)
	return r
}

// inspection returns a form with values of all kinds.
func inspection(tb testing.TB) form.Input {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "inspection.json"))
	require.NoError(tb, err)
	var file struct {
		Title, Subject          string
		Schema, UISchema, Value json.RawMessage
	}
	require.NoError(tb, json.Unmarshal(text, &file))
	return form.Input{
		Title: file.Title, Subject: file.Subject,
		Schema: file.Schema, UISchema: file.UISchema, Value: file.Value,
	}
}

func render(tb testing.TB, in form.Input, open pdf.OpenFunc) []byte {
	tb.Helper()
	var out bytes.Buffer
	o := pdf.Options{Created: created(), Open: open}
	require.NoError(tb, newRenderer(tb, pdf.DefaultLimits()).RenderInput(tb.Context(), &out, in, o))
	return out.Bytes()
}

// poppler runs a program of poppler-utils on a PDF.
func poppler(t *testing.T, content []byte, program string, arguments ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "form.pdf")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	for i, argument := range arguments {
		if argument == "PDF" {
			arguments[i] = path
		}
	}
	var problems bytes.Buffer
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Stderr = &problems
	out, err := command.Output()
	require.NoError(t, err, "%s of poppler-utils: %s", program, problems.String())
	require.Empty(t, problems.String())
	return string(out)
}

func textOf(t *testing.T, content []byte) string {
	t.Helper()
	return poppler(t, content, "pdftotext", "-layout", "-enc", "UTF-8", "PDF", "-")
}

// chart returns an image with a different colour in each corner.
func chart(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{R: 200, A: 255}
			switch {
			case x >= width/2 && y < height/2:
				c = color.RGBA{G: 160, A: 255}
			case x < width/2 && y >= height/2:
				c = color.RGBA{B: 220, A: 255}
			case x >= width/2:
				c = color.RGBA{R: 230, G: 200, A: 90}
			}
			m.Set(x, y, c)
		}
	}
	return m
}

func pngImage(tb testing.TB, width, height int) []byte {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, png.Encode(&out, chart(width, height)))
	return out.Bytes()
}

func jpegImage(tb testing.TB, width, height int) []byte {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, jpeg.Encode(&out, chart(width, height), nil))
	return out.Bytes()
}

// openData returns an OpenFunc with the same bytes for every document.
func openData(data []byte) pdf.OpenFunc {
	return func(context.Context, kuflowref.File) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}
}

func TestTextOfPDF(t *testing.T) {
	t.Parallel()
	text := textOf(t, render(t, inspection(t), openData(pngImage(t, 160, 120))))
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		lines[strings.Join(strings.Fields(line), " ")] = true
	}
	for _, want := range []string{
		"Vehicle inspection",
		"Inspection 2026/114 · Überprüfung · Έλεγχος · Проверка",
		"The inspection", "Inspector Bob Böhm", "Inspection team Reviewers",
		"Process 01970000-0000-7000-8000-00000000e003",
		"Inspected at 1 March 2026, 14:05 UTC+02:00", "Next due 1 March 2027", "Start time 08:30:15", "Empty field —",
		"The vehicle", "As found on the day, before any repair.",
		"Mileage (km) 123456.50", "Roadworthy Yes", "Fuel Electric", "Rating Good", "Colour green",
		"Tags • Urgent", "• Fleet",
		"Defects found", "Part Severity Since Remark", "Wiper Minor 31 January 2026", "Φώτα πορείας 3 Лампа не горит",
		"Visits", "1 of 2", "Place Depot", "From 1 January 2026",
		"The owner", "Family name Łukaszewicz-Παπαδόπουλος-Щербакова", "First name Zoë",
		"Street Ringstraße 5", "Postal code 00123", "Town Wien",
		"Photo front left.png (image/png, 2.0 kB)",
		"Report protocol.pdf (application/pdf, 1.2 MB)", "notes.txt (text/plain, 12 bytes)",
		"Remarks First line.", "Second line with a <b>tag</b> & an emoji □, some □□ and □□□□.",
		"Pin ••••••",
		"Other", "Owner › Shoe size 41", "Number {", `"a": 1e400,`,
		"2 March 2026, 10:04 UTC Page 1 of 2", "2 March 2026, 10:04 UTC Page 2 of 2",
	} {
		require.True(t, lines[want], "%q is not a line of\n%s", want, text)
	}
	require.NotContains(t, text, "4711")
	require.NotContains(t, text, "\ufffd")
	require.Equal(t, 1, strings.Count(text, "Brake pads"))
}

func TestRenderIsDeterministic(t *testing.T) {
	t.Parallel()
	in := inspection(t)
	in.Value = json.RawMessage(strings.Replace(string(in.Value), `"unknownMember"`, `"more": ["`+
		fileValue("b.jpg", "image/jpeg")+`", "`+fileValue("c.jpg", "image/jpeg")+`"], "unknownMember"`, 1))
	r := newRenderer(t, pdf.DefaultLimits())
	o := pdf.Options{Created: created(), Open: openData(jpegImage(t, 300, 200))}
	done := make(chan []byte)
	for range 4 {
		go func() {
			var out bytes.Buffer
			if r.RenderInput(context.WithoutCancel(t.Context()), &out, in, o) != nil {
				out.Reset()
			}
			done <- out.Bytes()
		}()
	}
	first := <-done
	require.NotEmpty(t, first)
	for range 3 {
		require.Equal(t, first, <-done)
	}
}
