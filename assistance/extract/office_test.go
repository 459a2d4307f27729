package extract_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance/extract"
)

const (
	transitional = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	strict       = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
)

// relations returns a part with relations, given by id, type, and target in turn.
func relations(namespace string, entries ...string) string {
	var text strings.Builder
	text.WriteString(`<?xml version="1.0" encoding="UTF-8"?><Relationships>`)
	for i := 0; i < len(entries); i += 3 {
		text.WriteString(`<Relationship Id="` + entries[i] + `" Type="` + namespace + entries[i+1] + `" Target="` + entries[i+2] + `"/>`)
	}
	return text.String() + `</Relationships>`
}

// encodings are the encodings of XML in packages.
func encodings(t *testing.T) map[string]func(string) string {
	t.Helper()
	declared := func(charset, mark string) func(string) string {
		return func(text string) string {
			return encode(t, charset, mark+`<?xml version="1.0" encoding="`+strings.TrimRight(strings.ToUpper(charset), "LBE")+`"?>`+text)
		}
	}
	return map[string]func(string) string{
		"UTF-8": func(text string) string { return text }, "UTF-8 with a mark": func(text string) string { return "\ufeff" + text },
		"UTF-16LE": declared("utf-16le", "\ufeff"), "UTF-16BE": declared("utf-16be", "\ufeff"), "UTF-16LE without a mark": declared("utf-16le", ""),
		"UTF-16BE without a mark": declared("utf-16be", ""), "Windows-1252": declared("windows-1252", ""), "ISO-8859-1": declared("iso-8859-1", ""),
	}
}

func TestOfficePackages(t *testing.T) {
	t.Parallel()
	const body = `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Müller</w:t></w:r></w:p></w:body></w:document>`
	for name, encodeXML := range encodings(t) {
		for _, namespace := range []string{transitional, strict} {
			for _, target := range []string{"/docs/My%20Doc.xml", "docs/My%20Doc.xml", "./docs/../docs/my doc.XML", `docs\my doc.xml`} {
				text, err := read(t, "a.docx", typeWord, archive(t, "_rels/.rels", encodeXML(strings.TrimPrefix(relations(
					namespace, "x", "extended-properties", "docProps/app.xml", "r1", "officeDocument", target), `<?xml version="1.0" encoding="UTF-8"?>`)),
					"docs/My Doc.xml", encodeXML(body)), extract.DefaultLimits())
				require.NoError(t, err, name+target)
				require.Equal(t, "Müller", text.Body, name+target)
			}
		}
	}
	byType := archive(t, "[Content_Types].xml", `<Types><Default Extension="xml" ContentType="application/xml"/><Override PartName="/main.xml" ContentType="`+
		typeWord+`.main+xml"/></Types>`, "main.xml", body)
	text, err := read(t, "a.docx", typeWord, byType, extract.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "Müller", text.Body)
}

func TestWordParts(t *testing.T) {
	t.Parallel()
	part := func(kind, text string) string {
		return `<w:` + kind + `><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:` + kind + `>`
	}
	inner := archive(t, "word/document.xml", `<w:document><w:p><w:r><w:t>inner</w:t></w:r></w:p></w:document>`)
	text, err := read(t, "a.docx", typeWord, archive(t,
		"_rels/.rels", relations(transitional, "r1", "officeDocument", "word/document2.xml"),
		"word/_rels/document2.xml.rels", relations(strict, "h", "header", "header1.xml", "h2", "header", "/word/header1.xml", "f", "footer", "footer1.xml",
			"n", "footnotes", "notes.xml", "c1", "aFChunk", "chunk.html", "c2", "aFChunk", "/chunk.docx", "c3", "aFChunk", "chunk.rtf", "c4", "aFChunk", "none.html"),
		"word/document2.xml", `<w:document><w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>before</w:t></w:r><w:r><mc:AlternateContent>
			<mc:Choice><wps:txbx><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></wps:txbx></mc:Choice>
			<mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>after</w:t></w:r></w:p>
			<mc:AlternateContent><mc:Fallback><w:p><w:r><w:t>old box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>
			<w:altChunk r:id="c1"/><w:altChunk r:id="c2"/><w:altChunk r:id="c3"/><w:altChunk r:id="c4"/><w:altChunk r:id="c5"/></w:document>`,
		"word/header1.xml", part("hdr", "header"), "word/footer1.xml", part("ftr", "footer"), "word/notes.xml", part("footnotes", "note"),
		"word/chunk.html", `<p>chunk &amp; html</p>`, "chunk.docx", inner, "word/chunk.rtf", `{\rtf1 x}`,
	), extract.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "header\nbefore\nbox\nafter\nold box\n\nchunk & html\n\ninner\n\nfooter\nnote", text.Body)
}

// A document in itself is read to a limited depth.
func TestNestedDocuments(t *testing.T) {
	t.Parallel()
	document := ""
	for range 6 {
		document = archive(t, "word/document.xml", `<w:document><w:p><w:t>level</w:t></w:p><w:altChunk r:id="c"/></w:document>`,
			"word/_rels/document.xml.rels", relations(transitional, "c", "aFChunk", "inner.docx"), "word/inner.docx", document)
	}
	text, err := read(t, "a.docx", typeWord, document, extract.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(text.Body, "level"))
}

func TestExcelByRelations(t *testing.T) {
	t.Parallel()
	for name, encodeXML := range encodings(t) {
		text, err := read(t, "a.xlsx", typeExcel, archive(t,
			"_rels/.rels", relations(strict, "r1", "officeDocument", "xl/book.xml"),
			"xl/book.xml", encodeXML(`<x:workbook xmlns:r="r"><x:sheets><x:sheet name="Löhne" sheetId="1" r:id="s1"/></x:sheets></x:workbook>`),
			"xl/_rels/book.xml.rels", relations(strict, "s1", "worksheet", "/xl/sheets/one.xml", "s2", "sharedStrings", "texts.xml"),
			"xl/texts.xml", encodeXML(`<sst><si><t>Müller</t></si></sst>`),
			"xl/sheets/one.xml", encodeXML(`<worksheet><row><c t="s"><v>0</v></c><c><v>5</v></c></row></worksheet>`),
			"xl/sheets/_rels/one.xml.rels", relations(strict, "d", "drawing", "../drawing.xml"),
			"xl/drawing.xml", encodeXML(`<xdr:wsDr><xdr:sp><a:p><a:r><a:t>in a box</a:t></a:r></a:p></xdr:sp></xdr:wsDr>`),
		), extract.DefaultLimits())
		require.NoError(t, err, name)
		require.Equal(t, "Löhne\nMüller | 5\nin a box", text.Body, name)
	}
}

// TestNumbersOfExcel checks dates and times by the formats of cells.
func TestNumbersOfExcel(t *testing.T) {
	t.Parallel()
	for format, wants := range map[string][3]string{
		// 31.0, 0.3541666666666667 and 1.104166666666667 days
		"yyyy-mm-dd": {"1900-01-31", "0.3541666666666667", "1900-01-01 02:30:00"}, `dd\.mm\.yy\ hh:mm`: {"1900-01-31", "0.3541666666666667", "1900-01-01 02:30:00"},
		"h:mm": {"744:00:00", "08:30:00", "26:30:00"}, "[h]:mm:ss": {"744:00:00", "08:30:00", "26:30:00"}, "[mm]:ss": {"744:00:00", "08:30:00", "26:30:00"},
		`[$-407]hh:mm AM/PM`: {"744:00:00", "08:30:00", "26:30:00"}, "[Red]0.00": {"31.0", "0.3541666666666667", "1.104166666666667"},
		`0_d*s"hours"\h`: {"31.0", "0.3541666666666667", "1.104166666666667"}, "[h": {"31.0", "0.3541666666666667", "1.104166666666667"},
		"General": {"31.0", "0.3541666666666667", "1.104166666666667"},
	} {
		text, err := read(t, "a.xlsx", typeExcel, archive(t, "xl/workbook.xml", `<workbook><sheets><sheet name="S" r:id="s"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", relations(transitional, "s", "worksheet", "s.xml"),
			"xl/styles.xml", `<styleSheet><numFmt numFmtId="170" formatCode="`+strings.ReplaceAll(format, `"`, "&quot;")+`"/><cellXfs><xf numFmtId="170"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
			"xl/s.xml", `<worksheet><row><c><v>31.0</v></c><c><v>0.3541666666666667</v></c><c><v>1.104166666666667</v></c><c s="1"><v>0.5</v></c></row>
				<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Left&amp;CPage &amp;P &amp;&amp; &amp;KFF0000red</oddHeader><oddFooter>&amp;RFoot &amp;</oddFooter></headerFooter></worksheet>`,
		), extract.DefaultLimits())
		require.NoError(t, err, format)
		require.Equal(t, "S\n"+strings.Join(wants[:], " | ")+" | 12:00:00\n\nLeft\nPage  & red\n\nFoot &", text.Body, format)
	}
}

func TestPowerPoint(t *testing.T) {
	t.Parallel()
	slide := func(text string) string { return `<p:sld><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:sld>` }
	text, err := read(t, "a.pptx", "", archive(t,
		"_rels/.rels", relations(transitional, "r1", "officeDocument", "deck/main.xml"),
		"deck/main.xml", `<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId id="257" r:id="b"/><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>`,
		"deck/_rels/main.xml.rels", relations(transitional, "a", "slide", "slides/1.xml", "b", "slide", "slides/2.xml", "m", "slideMaster", "m.xml"),
		"deck/m.xml", slide("master"), "deck/slides/1.xml", slide("last"), "deck/slides/2.xml", slide("first"),
		"deck/slides/_rels/2.xml.rels", relations(transitional, "n", "notesSlide", "../notes.xml", "d", "diagramData", "../diagram.xml"),
		"deck/notes.xml", `<p:notes><a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p><a:p><a:t>spoken</a:t></a:p></p:notes>`,
		"deck/diagram.xml", `<dgm:dataModel><a:p><a:t>box</a:t></a:p></dgm:dataModel>`,
	), extract.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "first\nbox\n\nspoken\n\nlast", text.Body)
}

func TestOpenDocument(t *testing.T) {
	t.Parallel()
	for name, encodeXML := range encodings(t) {
		text, err := read(t, "a.odt", "application/vnd.oasis.opendocument.text", archive(t,
			"mimetype", "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml", `<manifest:manifest/>`,
			"styles.xml", encodeXML(`<office:document-styles><office:master-styles><style:master-page><style:header><text:p>Header</text:p></style:header>
				<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`),
			"content.xml", encodeXML(`<office:document-content><office:automatic-styles><text:p>no</text:p></office:automatic-styles><office:body><office:text>
				<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Müller</text:h>
				<text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>end</text:p>
				<text:p>x<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p>
				<table:table table:name="T"><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>1</text:p></table:table-cell><table:table-cell/>
				<table:table-cell><text:p>2</text:p><text:p>3</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1000000">
				<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:text></office:body></office:document-content>`),
		), extract.DefaultLimits())
		require.NoError(t, err, name)
		require.Equal(t, "Header\nMüller\na  b c\nd\nbox\nend\nx\nnote\n\nT\n1 | 1 | 2 3\nPage", text.Body, name)
	}
	text, err := read(t, "a.odt", "", archive(t, "content.xml", `<office:body><text:p>a<draw:frame><svg:title>alt</svg:title><svg:desc>alt</svg:desc></draw:frame>b</text:p>
		<table:table table:name="T"><table:table-row><table:table-cell><text:p>left</text:p></table:table-cell><table:table-cell><text:p>outer</text:p>
		<table:table table:name="I"><table:table-row><table:table-cell><text:p>inner</text:p></table:table-cell></table:table-row></table:table>
		<text:p>rest</text:p></table:table-cell><table:table-cell><text:p>right</text:p></table:table-cell></table:table-row></table:table></office:body>`,
		"styles.xml", `<style:header><text:p><text:sheet-name>???</text:sheet-name> of <text:page-count>9</text:page-count></text:p></style:header>`), extract.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, " of\nab\n\nT\nleft | outer\nI\ninner\n | rest | right", text.Body)
	_, err = read(t, "a.ods", "", archive(t, "META-INF/manifest.xml",
		`<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`, "content.xml", "\x01\x02"), extract.DefaultLimits())
	var fault *extract.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, extract.ReasonEncrypted, fault.Reason)
}
