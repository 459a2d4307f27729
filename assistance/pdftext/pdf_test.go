package pdftext

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/ascii85"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
)

func limits() Limits { return Limits{Unpacked: 8 << 20, Steps: 2_000_000} }

// pdf is a file of objects, numbered from 1.
func pdf(objects ...string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	for i, body := range objects {
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	out.WriteString("trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
	return out.Bytes()
}

// streamOf is a stream with members besides its length.
func streamOf(members, data string) string {
	return fmt.Sprintf("<</Length %d %s>>\nstream\n%s\nendstream", len(data), members, data)
}

// page is a file with one page that has the fonts and the content.
func page(fonts, content string, more ...string) []byte {
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<<" + fonts + ">>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
		streamOf("", content),
	}
	return pdf(append(objects, more...)...)
}

func deflated(tb testing.TB, data string) string {
	tb.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, err := w.Write([]byte(data))
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return out.String()
}

func ascii85Text(data string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(data)))
	return string(out[:ascii85.Encode(out, []byte(data))])
}

func read(tb testing.TB, data []byte) (string, error) {
	tb.Helper()
	var pages []string
	err := Extract(tb.Context(), data, limits(), func(page string) error {
		pages = append(pages, page)
		return nil
	})
	return strings.Join(pages, "\f"), err
}

const winAnsi = "/F<</Type/Font/Subtype/TrueType/Encoding/WinAnsiEncoding>>"

func TestContent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ fonts, content, want string }{
		"lines":         {winAnsi, "BT /F 10 Tf 50 700 Td (One) Tj 0 -12 Td (two.) Tj 0 -40 Td (Three) Tj ET", "One\ntwo.\n\nThree"},
		"operators":     {winAnsi, "BT /F 10 Tf 12 TL 50 700 Td (a) Tj T* (b) Tj (c) ' 1 2 (d) \" ET", "a\nb\nc\nd"},
		"gaps":          {winAnsi, "BT /F 10 Tf 0 0 Td [(Pro) -20 (cession) -600 (is) 30 (it)] TJ 200 0 Td (far) Tj ET", "Procession isit far"},
		"matrices":      {winAnsi, "q 2 0 0 2 0 0 cm BT /F 5 Tf 1 0 0 1 10 20 Tm (up) Tj 0 1 -1 0 99 99 Tm (turned) Tj 0 -6 Td (on) Tj ET Q", "up\n\nturned\non"},
		"twice":         {winAnsi, "BT /F 10 Tf 0 0 Td (bold) Tj 0.2 0 Td (bold) Tj ET", "bold"},
		"escapes":       {winAnsi, "BT /F 10 Tf (\\(\\)\\\\ \\101\\7z\\\n \\344 (in) <x>) Tj <4f 4B5> Tj ET", "()\\ Az ä (in) <x>OKP"},
		"windows":       {winAnsi, "BT /F 10 Tf (\x80 \xdf \x93q\x94 \xad) Tj ET", "€ ß “q”"},
		"mac":           {"/F<</Subtype/Type1/Encoding/MacRomanEncoding>>", "BT /F 1 Tf (\x8a\xdb) Tj ET", "ä€"},
		"standard":      {"/F<</Encoding<</BaseEncoding/StandardEncoding>>>>", "BT /F 1 Tf ('\xae\xe9\xa4) Tj ET", "’fiØ⁄"},
		"differences":   {"/F<</Encoding<</Differences[65/eacute/Scaron.alt/uni20AC/f_i/afii10018/alpha/hungarumlaut 200/u1F600/Lslash/nonsense/Omegatonos]>>>>", "BT /F 1 Tf (ABCDEFG\xc8\xc9\xca\xcb) Tj ET", "éŠ€fiБα😀ŁΏ"},
		"inline images": {winAnsi, "BI /W 1 ID \x00(EI) EI\nBT /F 1 Tf (after) Tj ET", "after"},
		"no font":       {"", "BT /Nope 1 Tf (x) Tj ET", "x"},
		"unbalanced":    {winAnsi, "Q Q BT /F 10 Tf ] >> } (a) Tj ) ET ET Q (b", "a"},
		"words missing": {winAnsi, "Tj TJ Tf Td Do 1 Tj /x Do [ Tj", ""},
		"marked":        {winAnsi, "/Span <</ActualText (x)>> BDC BT /F 1 Tf (y) Tj ET EMC", "y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := read(t, page(test.fonts, test.content))
			require.NoError(t, err)
			require.Equal(t, test.want, text)
		})
	}
}

func TestUnicodeFonts(t *testing.T) {
	t.Parallel()
	cmap := streamOf("", `begincmap 1 beginbfchar <0001> <0041> endbfchar
		3 beginbfrange <0010> <0012> <0416> <0020> <0021> [<00660066> <D83DDE00>] <0030> <0030> <> endbfrange
		beginbfrange <0005> <0001> <0041> endbfrange endcmap`)
	font := "<</Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</W[1[600 600] 16 18 700]/DW 300>>]/ToUnicode 6 0 R>>"
	text, err := read(t, page("/F 5 0 R", "BT /F 10 Tf <0001001000110012002000210030ffff00> Tj ET", font, cmap))
	require.NoError(t, err)
	require.Equal(t, "AЖЗИff😀", text)

	utf16 := "/F<</Subtype/Type0/Encoding/UniGB-UCS2-H/DescendantFonts[<<>>]>>"
	text, err = read(t, page(utf16, "BT /F 10 Tf <6F225B57> Tj ET"))
	require.NoError(t, err)
	require.Equal(t, "漢字", text)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	const content = "BT /F 10 Tf (packed) Tj ET"
	png := make([]byte, 0, 64)
	previous := byte(0)
	for _, c := range []byte(content) { // One byte to the row, each the difference from the one above.
		png = append(png, 2, c-previous)
		previous = c
	}
	for members, data := range map[string]string{
		"/Filter/FlateDecode":                  deflated(t, content),
		"/Filter[/Fl]":                         deflated(t, content),
		"/Filter/FlateDecode ":                 deflated(t, content)[:30],
		"/Filter/ASCIIHexDecode":               fmt.Sprintf("%x>", content),
		"/Filter/ASCII85Decode":                "<~" + ascii85Text(content) + "~>",
		"/Filter/RunLengthDecode":              string(rune(len(content)-1)) + content + "\x80",
		"/Filter[/ASCIIHexDecode/FlateDecode]": fmt.Sprintf("%x", deflated(t, content)),
		"/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 1>>": deflated(t, string(png)),
		"/Filter/DCTDecode": content,
		"/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 999999999999>>": deflated(t, content),
	} {
		text, err := read(t, pdf(
			"<</Type/Catalog/Pages 2 0 R>>", "<</Kids[3 0 R]>>",
			"<</Type/Page/Contents[4 0 R null 9 0 R]/Resources<</Font<<"+winAnsi+">>>>>>", streamOf(members, data),
		))
		require.NoError(t, err, members)
		switch members {
		case "/Filter/DCTDecode", "/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 999999999999>>":
			require.Empty(t, text, members)
		case "/Filter/FlateDecode ": // Damaged: as far as it goes.
		default:
			require.Equal(t, "packed", text, members)
		}
	}
	d := &document{meter: &meter{ctx: t.Context(), steps: 1000, unpacked: 1000}}
	// The example of the standard.
	require.Equal(t, []byte{45, 45, 45, 45, 45, 65, 45, 45, 45, 66}, d.lzw([]byte{0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01}, true))
}

// Objects in streams, a table that is a stream, and a newer version of an object.
func TestPackedObjects(t *testing.T) {
	t.Parallel()
	inner := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Kids[3 0 R]/Resources<</Font<<" + winAnsi + ">>>>>>", "<</Type/Page/Contents 4 0 R>>"}
	var index, bodies string
	for i, body := range inner {
		index += fmt.Sprintf("%d %d ", i+1, len(bodies))
		bodies += body + " "
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.5\n")
	fmt.Fprintf(&out, "4 0 obj %s endobj\n", streamOf("", "BT /F 10 Tf (old) Tj ET"))
	fmt.Fprintf(&out, "5 0 obj %s endobj\n",
		streamOf(fmt.Sprintf("/Type/ObjStm/N 3/First %d/Filter/FlateDecode", len(index)), deflated(t, index+bodies)))
	fmt.Fprintf(&out, "6 0 obj %s endobj\n", streamOf("/Type/XRef/Root 1 0 R", "xx"))
	text, err := read(t, out.Bytes())
	require.NoError(t, err)
	require.Equal(t, "old", text)

	fmt.Fprintf(&out, "4 0 obj %s endobj\n", streamOf("", "BT /F 10 Tf (new) Tj ET"))
	text, err = read(t, out.Bytes())
	require.NoError(t, err)
	require.Equal(t, "new", text)
}

func TestFormOnPaperIsReadBack(t *testing.T) {
	t.Parallel()
	r, err := form.NewRenderer(form.DefaultLimits())
	require.NoError(t, err)
	var out bytes.Buffer
	in := form.Input{Title: "Ελληνικά и кириллица", Value: []byte(`{"income":"3 200 €, Łódź"}`)}
	require.NoError(t, r.RenderInput(t.Context(), &out, in, form.Options{Created: time.Unix(0, 0)}))
	text, err := read(t, out.Bytes())
	require.NoError(t, err)
	require.Contains(t, text, "Ελληνικά и кириллица")
	require.Contains(t, text, "Income 3 200 €, Łódź")
}

// Files that other programs wrote.
func TestFiles(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "packed.pdf"))
	require.NoError(t, err)
	text, err := read(t, data)
	require.NoError(t, err)
	require.Equal(t, 6, strings.Count(strings.ReplaceAll(text, "\n", " "), "is justified and long enough"))
	data, err = os.ReadFile(filepath.Join("testdata", "encrypted.pdf"))
	require.NoError(t, err)
	_, err = read(t, data)
	require.ErrorIs(t, err, ErrEncrypted)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 5000)
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":     {nil, ErrBroken},
		"no PDF":      {[]byte("hello"), ErrBroken},
		"no page":     {pdf("<</Type/Catalog>>"), ErrBroken},
		"encrypted":   {bytes.Replace(page(winAnsi, ""), []byte("/Root"), []byte("/Encrypt 9 0 R/Root"), 1), ErrEncrypted},
		"nested":      {page(winAnsi, deep), ErrTooMuch},
		"nested file": {pdf(deep), ErrTooMuch},
		"a bomb": {pdf("<</Pages 2 0 R>>", "<</Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R>>",
			streamOf("/Filter/FlateDecode", deflated(t, strings.Repeat(" ", 9<<20)))), ErrTooMuch},
		"a bomb in a bomb": {pdf("<</Pages 2 0 R>>", "<</Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R>>",
			streamOf("/Filter[/FlateDecode/FlateDecode]", deflated(t, deflated(t, strings.Repeat(" ", 9<<20))))), ErrTooMuch},
		"a long array": {page(winAnsi, "["+strings.Repeat("0 ", 200_000)), ErrTooMuch},
		"much work":    {page(winAnsi, strings.Repeat("q ", 2_100_000)), ErrTooMuch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(t, test.data)
			require.ErrorIs(t, err, test.want)
		})
	}
}

// A font that is costly to read, and is read again and again, is stopped in time.
func TestTimeRunsOut(t *testing.T) {
	t.Parallel()
	font := "/F<</Encoding<</Differences[" + strings.Repeat("/hungarumlautx", 50_000) + "]>>>>"
	data := page(font, strings.Repeat("/F 1 Tf ", 100_000))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	err := Extract(ctx, data, Limits{Unpacked: 1 << 30, Steps: 1 << 40}, func(string) error { return nil })
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(begun), 5*time.Second)
}

// What goes round in circles, or grows, comes to an end.
func TestCircles(t *testing.T) {
	t.Parallel()
	forms := []string{"<</Pages 2 0 R>>", "<</Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>", streamOf("", "/X Do")}
	forms = append(forms, streamOf("/Subtype/Form/Resources<</XObject<</X 5 0 R>>>>", strings.Repeat("/X Do ", 10)))
	_, err := read(t, pdf(forms...))
	require.ErrorIs(t, err, ErrTooMuch)
	for _, data := range [][]byte{
		pdf("<</Pages 2 0 R>>", "<</Kids[2 0 R 2 0 R 3 0 R 3 0 R]>>", "<</Kids[2 0 R]>>"),
		pdf("1 0 R"),
		pdf("<</Pages 2 0 R>>", "2 0 R"),
		pdf("<</Pages 2 0 R>>", "3 0 R", "2 0 R"),
		pdf("<</Pages 2 0 R>>", "<</Kids 2 0 R>>"),
		[]byte("%PDF-" + strings.Repeat("1 0 obj ", 100_000)),
		[]byte("%PDF-" + strings.Repeat("1 0 obj<</Type/ObjStm/N 99999999/First 0>>stream endstream ", 1000)),
		[]byte("%PDF-" + strings.Repeat("trailer", 100_000)),
		[]byte("%PDF-" + strings.Repeat("trailer<<", 100_000)),
		[]byte("%PDF-1 0 obj" + strings.Repeat("(", 1_000_000)),
	} {
		begun := time.Now()
		text, _ := read(t, data)
		require.Empty(t, text)
		require.Less(t, time.Since(begun), 5*time.Second)
	}
}

func TestDamagedTreesStillHavePages(t *testing.T) {
	t.Parallel()
	data := page(winAnsi, "BT /F 10 Tf (found) Tj ET")
	text, err := read(t, bytes.Replace(data, []byte("/Kids"), []byte("/Lost"), 1))
	require.NoError(t, err)
	require.Equal(t, "found", text)
	text, err = read(t, bytes.Replace(data, []byte("trailer"), []byte("trouble"), 1))
	require.NoError(t, err)
	require.Equal(t, "found", text)
	for cut := range data {
		_, err := read(t, data[:cut])
		if err != nil {
			require.True(t, errors.Is(err, ErrBroken) || errors.Is(err, ErrTooMuch), "%v", err)
		}
	}
}

func TestExtractStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Extract(ctx, page(winAnsi, "q"), limits(), nil), context.Canceled)
	enough := errors.New("enough")
	err := Extract(t.Context(), page(winAnsi, "q"), limits(), func(string) error { return enough })
	require.ErrorIs(t, err, enough)
}

// FuzzExtract holds that no file breaks the service or takes long.
func FuzzExtract(f *testing.F) {
	f.Add(page(winAnsi, "BT /F 10 Tf 12 TL 50 700 Td [(a) -300 <62>] TJ (c) ' 1 2 (d) \" ET"))
	f.Add(pdf("<</Pages 2 0 R>>", "<</Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R>>", streamOf("/Filter/FlateDecode", deflated(f, "q Q"))))
	f.Add(pdf(streamOf("/Type/ObjStm/N 1/First 4", "1 0 <</Pages 1 0 R>>")))
	f.Add(page("/F<</Subtype/Type0/ToUnicode 5 0 R>>", "BT /F 1 Tf <0001> Tj ET", streamOf("", "beginbfrange <0001> <0002> <0041>")))
	f.Add(page(winAnsi, "", streamOf("/Filter[/LZWDecode/A85/AHx/RL]/DecodeParms[<</Predictor 2>>]", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01")))
	names, err := filepath.Glob(filepath.Join("testdata", "*.pdf"))
	require.NoError(f, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		begun := time.Now()
		err := Extract(t.Context(), data, Limits{Unpacked: 1 << 20, Steps: 200_000}, func(string) error { return nil })
		if err != nil {
			require.True(t, errors.Is(err, ErrBroken) || errors.Is(err, ErrEncrypted) || errors.Is(err, ErrTooMuch), "%v", err)
		}
		require.Less(t, time.Since(begun), 10*time.Second)
	})
}
