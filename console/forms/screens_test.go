package forms_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

var screenshots = flag.String("screenshots", "", "write pictures of the forms of testdata/screens, in all languages, into this `folder`")

// sentences are beginnings of the Universal Declaration of Human Rights, from which labels in other languages are made.
func sentences() [][2]string {
	return [][2]string{
		{"en", ""},
		{"de", "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen"},
		{"fr", "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir dans un esprit de fraternité"},
		{"es", "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente"},
		{"pt-BR", "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir em espírito de fraternidade"},
		{"pl", "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować w duchu braterstwa"},
		{"tr", "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler"},
		{"el", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση"},
		{"ar", "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء"},
		{"he", "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם כולם חוננו בתבונה ובמצפון לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה"},
		{"hi", "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है"},
		{"ja", "すべての 人間は、 生まれながらにして 自由であり、 かつ、 尊厳と 権利とについて 平等である。 人間は、 理性と 良心とを 授けられており、 互いに 同胞の 精神をもって"},
	}
}

// translateTexts replaces the texts of a schema or a UI schema by words of a sentence, of about the same length.
func translateTexts(value any, sentence string) any {
	words := strings.Fields(sentence)
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			text, isText := member.(string)
			if !isText || name != "title" && name != "description" && name != "label" && name != "text" || len(words) == 0 {
				v[name] = translateTexts(member, sentence)
				continue
			}
			start, made := int(text[0])*7+len(text), ""
			for i := start; utf8.RuneCountInString(made) < len(text)-2; i++ {
				made += words[i%len(words)] + " "
			}
			v[name] = strings.TrimSpace(made)
		}
	case []any:
		for i := range v {
			v[i] = translateTexts(v[i], sentence)
		}
	}
	return value
}

// screenForm returns a form of testdata/screens in a language.
func screenForm(t *testing.T, file string, language [2]string) (m *memoryStore, tried bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var in struct {
		Schema, UISchema any
		Value            json.RawMessage
		ReadOnly, Tried  bool
	}
	require.NoError(t, json.Unmarshal(text, &in))
	m = &memoryStore{value: in.Value, readOnly: in.ReadOnly, accept: language[0]}
	m.schema, err = json.Marshal(translateTexts(in.Schema, language[1]))
	require.NoError(t, err)
	if in.UISchema != nil {
		m.uiSchema, err = json.Marshal(translateTexts(in.UISchema, language[1]))
		require.NoError(t, err)
	}
	return m, in.Tried
}

// Each form is shown in one language, without problems that axe finds, on a phone in both schemes. With -screenshots it is
// shown in all languages, with a sheet of pictures.
func TestFormsInManyLanguages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/screens/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 20)
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			languages := sentences()
			if *screenshots == "" {
				languages = languages[i%len(languages):][:1]
			}
			b := browsertest.New(t)
			var pictures []string
			for _, language := range languages {
				m, tried := screenForm(t, file, language)
				site := m.startSite(t)
				for _, view := range []struct {
					scheme string
					width  int64
				}{{"light", 390}, {"dark", 390}, {"light", 1280}} {
					showScreen(b, site, view.scheme, view.width, tried)
					b.RequireNoSidewaysScroll()
					if view.width < 1000 {
						b.RequireAccessible()
					}
					if *screenshots != "" {
						b.Size(view.width, browsertest.Eval[int64](b, "document.documentElement.scrollHeight"))
						picture := filepath.Join(*screenshots, fmt.Sprintf("%s-%s-%s-%d.png", name, language[0], view.scheme, view.width))
						b.Screenshot(picture)
						pictures = append(pictures, picture)
					}
				}
			}
			if *screenshots != "" {
				for k, view := range []string{"light-390", "dark-390", "light-1280"} {
					var row []string
					for j := k; j < len(pictures); j += 3 {
						row = append(row, pictures[j])
					}
					tilePictures(t, filepath.Join(*screenshots, "sheet-"+name+"-"+view+".png"), row)
				}
			}
		})
	}
}

// showScreen opens a form in a window of a width.
func showScreen(b *browsertest.Tab, site *httptest.Server, scheme string, width int64, tried bool) {
	b.Scheme(scheme)
	b.Size(width, 800)
	b.Open(site.URL + "/form")
	b.Await("document.fonts.status === 'loaded'")
	if tried {
		b.Click("[data-complete]")
		b.Await(`document.querySelector("[data-status]").dataset.state === "incomplete"`)
	}
}

// tilePictures writes a picture of others, six in a row.
func tilePictures(t *testing.T, file string, pictures []string) {
	t.Helper()
	const perRow = 6
	var rows []*image.RGBA
	total := image.Rectangle{}
	for start := 0; start < len(pictures); start += perRow {
		row := image.NewRGBA(image.Rectangle{})
		for _, name := range pictures[start:min(start+perRow, len(pictures))] {
			content, err := os.Open(name)
			require.NoError(t, err)
			picture, err := png.Decode(content)
			require.NoError(t, err)
			require.NoError(t, content.Close())
			old := row
			at := image.Pt(old.Bounds().Dx(), 0)
			size := picture.Bounds().Size()
			row = image.NewRGBA(image.Rect(0, 0, at.X+size.X, max(old.Bounds().Dy(), size.Y)))
			draw.Draw(row, old.Bounds(), old, image.Point{}, draw.Src)
			draw.Draw(row, picture.Bounds().Add(at), picture, image.Point{}, draw.Src)
		}
		rows = append(rows, row)
		total.Max.X, total.Max.Y = max(total.Max.X, row.Bounds().Dx()), total.Max.Y+row.Bounds().Dy()
	}
	sheet := image.NewRGBA(total)
	y := 0
	for _, row := range rows {
		draw.Draw(sheet, row.Bounds().Add(image.Pt(0, y)), row, image.Point{}, draw.Src)
		y += row.Bounds().Dy()
	}
	out, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, png.Encode(out, sheet))
	require.NoError(t, out.Close())
}
