package textlayer_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form/textlayer"
)

// documentOf returns a document of one page with a font of five glyphs: a letter, its mark, another letter, and a ligature
// that is read from right to left. Letters are 500 wide, marks 0.
func documentOf(content string) []byte {
	cmap := "begincmap\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n4 beginbfchar\n<0001> <179317BB>\n" +
		"<0002> <179317BB>\n<0003> <1798>\n<0004> <06440627>\nendbfchar\nendcmap\n"
	objects := []string{
		"<</Type/Pages/Count 1/Kids[2 0 R]>>",
		"<</Type/Page/Resources 3 0 R/MediaBox[0 0 600 800]/Parent 1 0 R/Contents 7 0 R>>",
		"<</Font<</f0 4 0 R>>>>",
		"<</Type/Font/Subtype/Type0/BaseFont/F/Encoding/Identity-H/DescendantFonts[5 0 R]/ToUnicode 6 0 R>>",
		"<</Type/Font/Subtype/CIDFontType2/BaseFont/F/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>" +
			"/DW 0/CIDToGIDMap/Identity/W[1 1 500 3[500 500]]>>",
		compress(cmap), compress(content), "<</Type/Catalog/Pages 1 0 R>>",
	}
	out := bytes.NewBufferString("%PDF-1.7\n")
	starts := make([]int, 0, len(objects))
	for i, object := range objects {
		starts = append(starts, out.Len())
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := out.Len()
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f\r\n", len(objects)+1)
	for _, start := range starts {
		fmt.Fprintf(out, "%010d 00000 n\r\n", start)
	}
	fmt.Fprintf(out, "trailer\n<</Size %d/Root 8 0 R>>\nstartxref\n%d\n%%%%EOF", len(objects)+1, table)
	return out.Bytes()
}

func compress(content string) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String())
}

// pieceAt draws glyphs in size 10.
func pieceAt(x, y float64, show string) string {
	return fmt.Sprintf("q 1 0 0 -1 %g %g cm\nBT/f0 10 Tf 1 0 0 -1 0 0 Tm%s\nET\nQ\n", x, y, show)
}

func TestRepair(t *testing.T) {
	t.Parallel()
	const letter, mark = "<0001>Tj", `[20(\000\002)]TJ`
	for name, test := range map[string]struct{ content, want string }{
		"a mark above":         {pieceAt(100, 500, letter) + pieceAt(105, 503, mark) + pieceAt(105, 500, "<0003>Tj"), "នុម"},
		"twice":                {strings.Join([]string{pieceAt(100, 500, letter), pieceAt(105, 503, mark), pieceAt(105, 500, letter), pieceAt(110, 503, mark)}, ""), "នុនុ"},
		"the mark first":       {pieceAt(100, 503, mark) + pieceAt(100, 500, letter), "នុ"},
		"within a string":      {pieceAt(100, 500, "<000300010003>Tj"), "មនុម"},
		"of a marked text":     {pieceAt(100, 503, mark) + pieceAt(100, 500, "/Span<</ActualText<FEFF179317BB>>>BDC[<0001>-100<0002>]TJ EMC<0003>Tj"), "នុម"},
		"on the next line":     {pieceAt(100, 500, letter) + pieceAt(100, 480, letter), "នុ\nនុ"},
		"at another place":     {pieceAt(100, 500, letter) + pieceAt(205, 503, letter), "នុ\n\nនុ"},
		"from right to left":   {pieceAt(100, 500, "<0004>Tj"), "لا"},
		"with an unknown font": {pieceAt(100, 500, "<0003>Tj") + "BT/f1 10 Tf<0001>Tj ET", "ម"},
	} {
		repaired, err := textlayer.Repair(t.Context(), documentOf(test.content))
		require.NoError(t, err, name)
		path := filepath.Join(t.TempDir(), "form.pdf")
		require.NoError(t, os.WriteFile(path, repaired, 0o600))
		text, err := exec.CommandContext(t.Context(), "pdftotext", "-enc", "UTF-8", path, "-").Output()
		require.NoError(t, err, "pdftotext of poppler-utils")
		require.Equal(t, test.want, strings.TrimSpace(strings.Trim(dropMarks(string(text)), "\f\n ")), name)
		again, err := textlayer.Repair(t.Context(), documentOf(test.content))
		require.NoError(t, err, name)
		require.Equal(t, repaired, again, name)
	}
}

func dropMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if '\u202a' <= r && r <= '\u202e' {
			return -1
		}
		return r
	}, text)
}

func TestRepairStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := textlayer.Repair(ctx, documentOf(pieceAt(100, 500, "<0001>Tj")))
	require.ErrorIs(t, err, context.Canceled)
}

// TestOtherDocumentsStay checks documents of an unknown structure.
func TestOtherDocumentsStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "%PDF", "startxref\n0\n%%EOF", "startxref\n9999999999\n%%EOF", "xref\n0 1\n" + strings.Repeat("0", 20) + "startxref\n0\n%%EOF",
		"xref\n0 9999999\nstartxref\n0\n%%EOF",
	} {
		document := []byte(text)
		got, err := textlayer.Repair(t.Context(), document)
		require.NoError(t, err)
		require.Equal(t, document, got)
	}
}

func FuzzRepair(f *testing.F) {
	f.Add([]byte(pieceAt(100, 500, "<0001>Tj") + pieceAt(105, 503, `[20(\000\002)]TJ`)))
	f.Add([]byte(`BT/f0 10 Tf/Span<</ActualText(`))
	f.Add([]byte(`]TJ[<0`))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, document := range [][]byte{documentOf(string(content)), content} {
			_, err := textlayer.Repair(t.Context(), document)
			require.NoError(t, err)
		}
	})
}
