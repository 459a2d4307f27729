package extract_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/procession-dev/procession/assistance/extract"
)

// texts are texts with the encodings that their readers use.
var texts = map[string][]string{
	"日本語の文書です。これは試験のための短い文章。": {"shift_jis", "euc-jp", "iso-2022-jp"},
	"名前,住所\n山田太郎,東京都千代田区":     {"shift_jis", "euc-jp", "iso-2022-jp"},
	"カタカナ": {"shift_jis", "euc-jp", "iso-2022-jp"},
	"姓名,地址\n王小明,北京市朝阳区建国路\n这是一个测试文件。":                 {"gbk", "gb18030"},
	"姓名,地址\n王小明,台北市信義區\n這是測試文件。":                      {"big5"},
	"이름,주소\n홍길동,서울특별시 강남구\n이것은 시험용 문서입니다.":            {"euc-kr"},
	"Имя,Адрес\nБорис,Москва\nЭто короткий документ.": {"windows-1251", "koi8-r", "ibm866", "iso-8859-5"},
	"Zürich, Straße, Grüße aus Köln, Müller":          {"windows-1252"},
	"Zü €": {"windows-1252"},
	"Café déjà vu, garçon, où êtes-vous? Ça coûte 5 €":      {"windows-1252"},
	"name;amount\nMüller;12,50 €\nFrançois;3\n§ 5 «A»":      {"windows-1252"},
	"Þetta er stutt skjal, það er á íslensku":               {"windows-1252"},
	"Zażółć gęślą jaźń, Łódź, Kraków, Wrocław, święto":      {"windows-1250", "iso-8859-2"},
	"Příliš žluťoučký kůň úpěl ďábelské ódy":                {"windows-1250", "iso-8859-2"},
	"Ελληνικά: αυτό είναι ένα σύντομο κείμενο":              {"windows-1253", "iso-8859-7"},
	"שלום עולם, זה מסמך קצר לבדיקה":                         {"windows-1255"},
	"İstanbul'da kısa bir deneme belgesi, şöyle böyle ığüş": {"windows-1254"},
	"สวัสดีครับ นี่คือเอกสารทดสอบ":                          {"windows-874"},
}

func encode(t *testing.T, name, text string) string {
	t.Helper()
	found, err := htmlindex.Get(name)
	require.NoError(t, err, name)
	encoded, err := found.NewEncoder().String(text)
	require.NoError(t, err, "%s %s", name, text)
	return encoded
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	for text, charsets := range texts {
		for _, charset := range append(charsets, "utf-8", "utf-16le", "utf-16be") {
			t.Run(charset+" "+strings.Fields(text)[0], func(t *testing.T) {
				t.Parallel()
				encoded := encode(t, charset, text)
				for mediaType, body := range map[string]string{
					"text/plain": encoded, "text/plain; charset=" + charset: encoded,
				} {
					if charset[:3] == "utf" && charset != "utf-8" {
						body = encode(t, charset, "\ufeff") + encoded
					}
					got, err := read(t, "a.txt", mediaType, body, extract.DefaultLimits())
					require.NoError(t, err, mediaType)
					require.Equal(t, text, got.Body, mediaType)
				}
				if charset[:3] == "utf" {
					return
				}
				page := `<html><head><meta charset="` + charset + `"></head><body>` + encoded + `</body></html>`
				got, err := read(t, "a.html", "text/html", page, extract.DefaultLimits())
				require.NoError(t, err)
				require.NotContains(t, got.Body, "\ufffd")
				words := strings.Fields(text)
				require.Contains(t, got.Body, words[len(words)-1])
			})
		}
	}
}

func TestUTF16WithoutMark(t *testing.T) {
	t.Parallel()
	for _, charset := range []string{"utf-16le", "utf-16be"} {
		got, err := read(t, "a.csv", "text/csv", encode(t, charset, "name,amount\nMüller,5"), extract.DefaultLimits())
		require.NoError(t, err)
		require.Equal(t, "name | amount\nMüller | 5", got.Body)
	}
}

// A text in an encoding that is not recognized is refused rather than read wrongly.
func TestUnknownCharsetIsRefused(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"random": "a\x81\x90b\x8d\x9dc\xfe\xa5d\x81e\x8ff\x90g", "EBCDIC": "\xc8\x85\x93\x93\x96\x6b\x40\xe6\x96\x99\x93\x84\x5a\x81\x90\x8d\x9d",
	} {
		_, err := read(t, "a.txt", "text/plain", body, extract.DefaultLimits())
		var fault *extract.Error
		require.ErrorAs(t, err, &fault, name)
		require.Equal(t, extract.ReasonBroken, fault.Reason, name)
	}
}
