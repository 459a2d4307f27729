package pdf_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	inputs := []form.Input{
		{Title: "Report", Value: json.RawMessage(`{"a":"first"}`)},
		{Title: "Report", Value: json.RawMessage(`{"a":"second"}`)},
		{Title: "../../etc/passwd\x00", Value: json.RawMessage(`{"a":"third"}`)},
	}
	r := newRenderer(t, pdf.DefaultLimits())
	var out, again bytes.Buffer
	require.NoError(t, r.RenderAll(t.Context(), &out, inputs, pdf.Options{Created: created()}))
	require.NoError(t, r.RenderAll(t.Context(), &again, inputs, pdf.Options{Created: created()}))
	require.Equal(t, out.Bytes(), again.Bytes())
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	var names []string
	for i, file := range archive.File {
		names = append(names, file.Name)
		body, err := file.Open()
		require.NoError(t, err)
		pdf, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Contains(t, textOf(t, pdf), []string{"first", "second", "third"}[i])
		require.True(t, file.Modified.Equal(created()))
	}
	require.Equal(t, []string{"Report-1.pdf", "Report-2.pdf", "etc-passwd-3.pdf"}, names)
}

func TestFilenames(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"":                       "form.pdf",
		"...":                    "form.pdf",
		"Prüfung / Ελλάς № 5":    "Prüfung-Ελλάς-5.pdf",
		"CON\r\n: a|b":           "CON-a-b.pdf",
		strings.Repeat("ä", 500): strings.Repeat("ä", 49) + ".pdf",
		"\xff\xfe\u202egnp.exe😀": "gnp-exe.pdf",
	} {
		require.Equal(t, []string{want}, pdf.Filenames([]form.Input{{Title: title}}), title)
	}
	inputs := make([]form.Input, 12)
	names := pdf.Filenames(inputs)
	require.Equal(t, "form-01.pdf", names[0])
	require.Equal(t, "form-12.pdf", names[11])
}
