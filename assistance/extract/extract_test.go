package extract_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance/extract"
)

const (
	typeWord  = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	typeExcel = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// archive returns a ZIP of files, given by name and content in turn.
func archive(tb testing.TB, parts ...string) string {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(parts); i += 2 {
		file, err := w.Create(parts[i])
		require.NoError(tb, err)
		_, err = io.WriteString(file, parts[i+1])
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return out.String()
}

func word(tb testing.TB, body string) string {
	tb.Helper()
	return archive(tb, "word/document.xml", `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>`+body+`</w:body></w:document>`)
}

const paragraphs = `<w:p><w:pPr><w:del/></w:pPr><w:r><w:t>One </w:t></w:r><w:r><w:t xml:space="preserve">&amp; two</w:t><w:br/><w:t>three</w:t></w:r></w:p>
	<w:p><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del><w:r><w:instrText>PAGE</w:instrText><w:t>kept</w:t></w:r></w:p>
	<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
	<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>`

func excel(tb testing.TB, sheet string) string {
	tb.Helper()
	return archive(
		tb,
		"xl/workbook.xml", `<workbook><sheets><sheet name="Incomes" r:id="r2"/><sheet name="Empty" r:id="r9"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r2" Target="worksheets/one.xml"/></Relationships>`,
		"xl/sharedStrings.xml", `<sst><si><t>Name</t></si><si><r><t>Ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;d&quot;0.00"/><numFmt numFmtId="165" formatCode="[Red]dd\.mm"/></numFmts>
			<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
		"xl/worksheets/one.xml", sheet,
	)
}

const cells = `<worksheet><sheetData>
	<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>99</v></c><c/></row><row/>
	<row><c><v>3200.5</v></c><c s="1"><v>46082</v></c><c s="2"><v>46082</v></c><c s="3"><v>46082.25</v></c><c t="b"><v>1</v></c>
	<c t="inlineStr"><is><t>in line</t></is></c><c t="e"><v>#REF!</v></c></row></sheetData></worksheet>`

func read(tb testing.TB, name, mediaType, body string, limits extract.Limits) (extract.Text, error) {
	tb.Helper()
	return readAs(tb.Context(), name, mediaType, strings.NewReader(body), limits)
}

// readAs has a child read a document.
func readAs(ctx context.Context, name, mediaType string, body io.Reader, limits extract.Limits) (extract.Text, error) {
	path, err := exec.LookPath("pdftotext")
	if err != nil {
		return extract.Text{}, err
	}
	return extract.NewReader(extract.Options{PDFToText: path, Limits: limits}).Read(
		ctx, extract.Document{Name: name, MediaType: mediaType}, func() (io.ReadCloser, error) { return io.NopCloser(body), nil },
	)
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, mediaType, body, want string }{
		"text":           {"a.txt", "text/plain", "\xef\xbb\xbfone\r\ntwo \t\n\n\n\nthree\x01\n", "one\ntwo\n\nthree"},
		"text by name":   {"a.TXT", "application/octet-stream", "one", "one"},
		"text by type":   {"unnamed", "text/plain; charset=utf-8", "one", "one"},
		"markdown":       {"a.md", "", "# Title\n\n* point", "# Title\n\n* point"},
		"UTF-16":         {"a.txt", "", "\xff\xfeZ\x00\xfc\x00", "Zü"},
		"Windows":        {"a.txt", "", "Z\xfc \x80", "Zü €"},
		"CSV":            {"a.csv", "text/csv", "a;b\n\"1;\n2\";3\n\nx\n", "a | b\n1;\n2 | 3\nx"},
		"tabs":           {"a.tsv", "", "a,b\tc\td\n", "a,b | c | d"},
		"bad quotes":     {"a.csv", "", "a\"b,c\n", `a"b | c`},
		"JSON":           {"a.json", "application/json", `{"a":{"b":[1.50,{"c":"x"},null,true]},"":"y"}`, "a.b[1]: 1.50\na.b[2].c: x\na.b[4]: true\ny"},
		"JSON of a kind": {"a", "application/ld+json", `"x"`, "x"},
		"HTML": {"a.html", "text/html; charset=utf-8", `<!DOCTYPE html><title>T &amp; t</title><style>p{}</style><script>if (a<b) "</p>"</script><p>Hello   <b>big</b>
			world<br>again<!-- no --></p><table><tr><td>a<td>b</table><pre> x
 y</pre><noscript>n</noscript><svg><text>s</text></svg>end`, "T & t\n\nHello big world\nagain\n\na | b\n\n x\n y\n\nend"},
		"broken HTML":  {"a.htm", "", "<p <<<b>x</</p", "x"},
		"Word":         {"a.docx", typeWord, word(t, paragraphs), "One & two\nthree\nkept\na | b |\nbox"},
		"Word by name": {"a.docx", "application/zip", word(t, paragraphs), "One & two\nthree\nkept\na | b |\nbox"},
		"Excel":        {"a.xlsx", typeExcel, excel(t, cells), "Incomes\nName | Rich\n3200.5 | 2026-03-01 | 46082 | 2026-03-01 06:00:00 | TRUE | in line | #REF!\n\nEmpty"},
		"PDF":          {"a.pdf", "application/pdf", pagePDF("BT /F 10 Tf 50 700 Td (Page one) Tj ET"), "Page one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := read(t, test.file, test.mediaType, test.body, extract.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, extract.Text{Body: test.want}, text)
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	small := extract.Limits{Bytes: 1 << 20, Unpacked: 1 << 20, Text: 1 << 10, Time: time.Minute}
	zeros := strings.Repeat("0", 2<<20)
	for name, test := range map[string]struct {
		file, mediaType, body string
		want                  extract.Reason
	}{
		"an image":                 {"a.png", "image/png", "x", extract.ReasonType},
		"an image called a PDF":    {"a.pdf", "image/png", "x", extract.ReasonType},
		"an unknown name":          {"a.exe", "application/octet-stream", "x", extract.ReasonType},
		"old Word":                 {"a.doc", "application/msword", "x", extract.ReasonType},
		"too many bytes":           {"a.txt", "", zeros, extract.ReasonTooLarge},
		"nothing":                  {"a.txt", "", "", extract.ReasonEmpty},
		"white space":              {"a.txt", "", " \n\x00"[:2], extract.ReasonEmpty},
		"binary":                   {"a.txt", "text/plain", "a\x00b", extract.ReasonBroken},
		"no PDF":                   {"a.pdf", "", "hello", extract.ReasonBroken},
		"a scan":                   {"a.pdf", "", pagePDF("q Q"), extract.ReasonEmpty},
		"an encrypted PDF":         {"a.pdf", "", locked(), extract.ReasonEncrypted},
		"no JSON":                  {"a.json", "", "{", extract.ReasonBroken},
		"deep JSON":                {"a.json", "", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), extract.ReasonTooLarge},
		"deeper JSON":              {"a.json", "", strings.Repeat("[", 500_000), extract.ReasonBroken},
		"long names in JSON":       {"a.json", "", `{"` + strings.Repeat("x", 5000) + `":1}`, extract.ReasonTooLarge},
		"no ZIP":                   {"a.docx", "", "PK hello", extract.ReasonBroken},
		"a ZIP of something else":  {"a.docx", "", archive(t, "x", "y"), extract.ReasonBroken},
		"a workbook of nothing":    {"a.xlsx", "", archive(t, "x", "y"), extract.ReasonBroken},
		"cut":                      {"a.docx", "", word(t, paragraphs)[:200], extract.ReasonBroken},
		"an encrypted document":    {"a.docx", "", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more", extract.ReasonEncrypted},
		"a ZIP bomb":               {"a.docx", "", word(t, zeros), extract.ReasonTooLarge},
		"a ZIP bomb in a workbook": {"a.xlsx", "", excel(t, zeros), extract.ReasonTooLarge},
		"too many files in a ZIP":  {"a.docx", "", strings.Repeat("PK\x01\x02", 30_000), extract.ReasonTooLarge},
		"no XML":                   {"a.docx", "", archive(t, "word/document.xml", "<a"), extract.ReasonBroken},
		"XML of another encoding":  {"a.docx", "", archive(t, "word/document.xml", `<?xml version="1.0" encoding="EBCDIC"?><a/>`), extract.ReasonBroken},
		"deep XML":                 {"a.docx", "", word(t, strings.Repeat("<a>", 1000)), extract.ReasonTooLarge},
		"an XML bomb": {"a.docx", "", archive(t, "word/document.xml", `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
			<w:document><w:t>&b;</w:t></w:document>`), extract.ReasonBroken},
		"an entity of a file": {"a.docx", "", archive(t, "word/document.xml", `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>
			<w:document><w:t>&a;</w:t></w:document>`), extract.ReasonBroken},
		"a tag without end": {"a.html", "", "<p " + strings.Repeat("x", 1<<19), extract.ReasonEmpty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := read(t, test.file, test.mediaType, test.body, small)
			require.Zero(t, text)
			var fault *extract.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, test.want, fault.Reason, "%v", fault.Cause)
			require.Equal(t, test.file, fault.Document)
			require.Contains(t, err.Error(), `"`+test.file+`" `)
			require.NotContains(t, err.Error(), string(test.want))
		})
	}
}

// A long string that many cells share does not grow.
func TestSharedStringsDoNotGrow(t *testing.T) {
	t.Parallel()
	body := archive(
		t,
		"xl/workbook.xml", `<workbook><sheets><sheet name="S" r:id="r"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r" Target="/xl/s.xml"/></Relationships>`,
		"xl/sharedStrings.xml", "<sst><si><t>"+strings.Repeat("long ", 100_000)+"</t></si></sst>",
		"xl/s.xml", "<worksheet><row>"+strings.Repeat(`<c t="s"><v>0</v></c>`, 100_000)+"</row></worksheet>",
	)
	text, err := read(t, "a.xlsx", typeExcel, body, extract.DefaultLimits())
	require.NoError(t, err)
	require.True(t, text.Truncated)
	require.LessOrEqual(t, len(text.Body), extract.DefaultLimits().Text)
}

func TestLongTextIsCut(t *testing.T) {
	t.Parallel()
	limits := extract.DefaultLimits()
	limits.Text = 10
	for name, body := range map[string]string{
		"a.txt":  "ääääääää",
		"a.csv":  "ääää\nääääää\n",
		"a.json": `["ääääääää"]`,
		"a.html": "<p>ääää<p>ääääää",
		"a.docx": word(t, "<w:p><w:r><w:t>ääääääääääää</w:t></w:r></w:p>"),
		"a.pdf":  pagePDF("BT /F 10 Tf 50 700 Td (123456789012) Tj ET"),
	} {
		text, err := read(t, name, "", body, limits)
		require.NoError(t, err, name)
		require.True(t, text.Truncated, name)
		require.LessOrEqual(t, len(text.Body), 10, name)
		require.NotContains(t, text.Body, "\ufffd")
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	limits := extract.DefaultLimits()
	limits.Time = time.Nanosecond
	for name, body := range map[string]string{
		"a.csv": "a", "a.json": "[1]", "a.html": "<p>a", "a.docx": word(t, paragraphs), "a.xlsx": excel(t, cells), "a.pdf": pagePDF("q"),
	} {
		_, err := read(t, name, "", body, limits)
		var fault *extract.Error
		require.ErrorAs(t, err, &fault, name)
		require.Equal(t, extract.ReasonTooSlow, fault.Reason, name)
	}
}

func TestBytesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := readAs(t.Context(), "a.txt", "", iotest.ErrReader(errors.New("secret detail")), extract.DefaultLimits())
	var fault *extract.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, extract.ReasonUnreadable, fault.Reason)
	require.NotContains(t, err.Error(), "secret")
	require.ErrorContains(t, fault.Cause, "secret detail")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = readAs(ctx, "a.csv", "", strings.NewReader("a"), extract.DefaultLimits())
	require.Equal(t, context.Canceled, err)
}

// FuzzRead holds that no document of any kind breaks the service.
func FuzzRead(f *testing.F) {
	kinds := []string{"a.txt", "a.html", "a.csv", "a.json", "a.docx", "a.xlsx"}
	for kind, seed := range []string{
		"text", "<p>a<td>b<script>", "a,\"b\n", `{"a":[1,"b"]}`, word(f, paragraphs), excel(f, cells),
	} {
		f.Add(kind, seed)
	}
	limits := extract.Limits{Bytes: 1 << 20, Unpacked: 1 << 20, Text: 1 << 16, Time: time.Minute}
	f.Fuzz(func(t *testing.T, kind int, body string) {
		name := kinds[uint(kind)%uint(len(kinds))]
		checkRead(t, name, body, limits)
	})
}

// FuzzOffice holds the same for the XML within documents of Office.
func FuzzOffice(f *testing.F) {
	f.Add(paragraphs, cells)
	f.Add("<w:t>&#0;</w:t></w:p>", `<c t="s"><v>-1</v></c>`)
	limits := extract.Limits{Bytes: 1 << 20, Unpacked: 1 << 20, Text: 1 << 16, Time: time.Minute}
	f.Fuzz(func(t *testing.T, document, sheet string) {
		checkRead(t, "a.docx", archive(t, "word/document.xml", document), limits)
		checkRead(t, "a.xlsx", excel(t, sheet), limits)
	})
}

func checkRead(t *testing.T, name, body string, limits extract.Limits) {
	t.Helper()
	text, err := extract.ReadHere(t.Context(), name, "", strings.NewReader(body), limits)
	if err != nil {
		var fault *extract.Error
		require.ErrorAs(t, err, &fault)
		require.NotContains(t, fmt.Sprint(fault.Cause), "runtime error")
		return
	}
	require.NotEmpty(t, text.Body)
	require.LessOrEqual(t, len(text.Body), 2*limits.Text)
	require.NotContains(t, text.Body, "\x00")
}
