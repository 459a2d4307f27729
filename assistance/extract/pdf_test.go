package extract_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// objects returns a PDF of objects, numbered from 1.
func objects(list ...string) string {
	var out strings.Builder
	out.WriteString("%PDF-1.7\n")
	for i, body := range list {
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	out.WriteString("trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
	return out.String()
}

// stream returns a stream with further members in its dictionary.
func stream(members, data string) string {
	return fmt.Sprintf("<</Length %d %s>>\nstream\n%s\nendstream", len(data), members, data)
}

// page returns a PDF of one page, with its content at contents and more objects.
func page(contents string, more ...string) string {
	return objects(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents " + contents + "/Resources<</Font<</F 5 0 R>>>>>>",
	}, more...)...)
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// pagePDF returns a PDF of one page with a content.
func pagePDF(content string) string { return page("4 0 R", stream("", content), helvetica) }

// locked returns a PDF that takes a password.
func locked() string {
	key := strings.Repeat("5a", 32)
	body := page("4 0 R", stream("", "q Q"), helvetica, "<</Filter/Standard/V 1/R 2/P -4/O<"+key+">/U<"+key+">>>")
	return strings.Replace(body, "<</Root", "<</Encrypt 6 0 R/ID[<00><00>]/Root", 1)
}

func TestRenderedFormIsExtracted(t *testing.T) {
	t.Parallel()
	made, err := formtest.RequirePool(t).Render(t.Context(), pdfworker.Job{
		Title: "Ελληνικά и кириллица", Values: []json.RawMessage{[]byte(`{"income":"3 200 €, Łódź"}`)}, Created: time.Unix(0, 0),
	}, nil)
	require.NoError(t, err)
	text, err := read(t, "a.pdf", "", string(made.Content), extract.DefaultLimits())
	require.NoError(t, err)
	require.Contains(t, text.Body, "Ελληνικά и кириллица")
	require.Contains(t, text.Body, "3 200 €, Łódź")
}

// Files that other programs wrote.
func TestFiles(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/packed.pdf")
	require.NoError(t, err)
	text, err := read(t, "a.pdf", "", string(data), extract.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, 6, strings.Count(strings.ReplaceAll(text.Body, "\n", " "), "is justified and long enough"))
	data, err = os.ReadFile("testdata/encrypted.pdf")
	require.NoError(t, err)
	// It is encrypted, and everybody may open it.
	text, err = read(t, "a.pdf", "", string(data), extract.DefaultLimits())
	require.NoError(t, err)
	require.Contains(t, text.Body, "Monthly income: 3,200 EUR (Zürich)")
}

func TestPagesAreSeparated(t *testing.T) {
	t.Parallel()
	text, err := read(t, "a.pdf", "", objects(
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2/MediaBox[0 0 600 800]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
		stream("", "BT /F 10 Tf 50 700 Td (A page) Tj ET"), helvetica,
	), extract.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "A page\n\nA page", text.Body)
}
