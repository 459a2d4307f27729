package pdfworker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// scriptTexts are texts in many scripts, by the name of the script. Scripts that poppler does not read from right to left
// (N'Ko, Adlam) are left out.
var scriptTexts = map[string]string{
	"Arabic":              "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق، لا فرق بين الإسلام والسلام",
	"Arabic with marks":   "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ بِبِ",
	"Armenian":            "Բոլոր մարդիկ ծնվում են ազատ",
	"Balinese":            "ᬲᬓᬮ ᬚᬦ᭄ᬫ",
	"Bamum":               "ꚠꚡꚢ ꛔꛕꛖ",
	"Bengali":             "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে",
	"Bopomofo":            "ㄓㄨㄥㄨㄣˊ",
	"Canadian Aboriginal": "ᐃᓅᔪᓕᒫᑦ ᐊᓂᖅᑎᕆᔪᓐᓇᖅᑐᑦ",
	"Cham":                "ꨀꨇꩉ ꨌꩌ",
	"Cherokee":            "ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ",
	"Coptic":              "ⲣⲱⲙⲓ ⲛⲓⲃⲉⲛ",
	"Cyrillic":            "Все люди рождаются свободными, Їжак ѝ",
	"Deseret":             "𐐔𐐯𐑅𐐨𐑉𐐯𐐻",
	"Devanagari":          "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता",
	"Ethiopic":            "የሰው ልጅ ሁሉ ሲወለድ ነጻና",
	"Georgian":            "ყველა ადამიანი იბადება თავისუფალი",
	"Glagolitic":          "ⰲⱐⱄⰵ ⰾⱓⰴⰹⰵ",
	"Gothic":              "𐌰𐌻𐌻𐌰𐌹",
	"Greek":               "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι",
	"Gujarati":            "પ્રતિષ્ઠા અને અધિકારોની દૃષ્ટિએ સર્વ માનવો જન્મથી સ્વતંત્ર",
	"Gurmukhi":            "ਸਾਰਾ ਮਨੁੱਖੀ ਪਰਿਵਾਰ ਆਪਣੀ ਮਹਿਮਾ, ਸ਼ਾਨ ਅਤੇ ਹੱਕਾਂ",
	"Han simplified":      "人人生而自由,在尊严和权利上一律平等",
	"Han traditional":     "人人生而自由,在尊嚴和權利上一律平等 王小明",
	"Hangul":              "모든 인간은 태어날 때부터 자유로우며",
	"Hebrew":              "כל בני אדם נולדו בני חורין",
	"Hebrew with points":  "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם",
	"Hiragana":            "すべてのにんげんは、うまれながらにして",
	"Javanese":            "ꦱꦧꦼꦤ꧀ ꦲꦸꦮꦺꦴꦁ ꦏꦭꦲꦶꦫꦏꦺ ꦏꦤ꧀ꦛꦶ",
	"Kannada":             "ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ",
	"Katakana":            "スベテノニンゲンハ、ガギグゲゴ",
	"Khmer":               "មនុស្សទាំងអស់កើតមកមានសេរីភាព និងភាពស្មើៗគ្នា នុនុនុ",
	"Lao":                 "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ ນ້ຳ",
	"Latin":               "Bãi đỗ xe Übergröße ǆ ﬁ çédille",
	"Lepcha":              "ᰛᰩᰴ",
	"Limbu":               "ᤕᤠᤰᤌᤢᤱ ᤜᤠᤍᤠᤱ",
	"Lisu":                "ꓠꓬꓲ ꓫꓮ",
	"Malayalam":           "മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും",
	"Meetei Mayek":        "ꯃꯤ ꯄꯨꯝꯅꯃꯛ",
	"Mongolian":           "ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ",
	"Myanmar":             "လူတိုင်းသည် တူညီ",
	"New Tai Lue":         "ᦟᦲᧅᦷᦎᦺᦑ",
	"Ogham":               "ᚉᚑᚔᚅ",
	"Ol Chiki":            "ᱡᱚᱛᱚ ᱢᱟᱹᱱᱢᱤ",
	"Osage":               "𐓏𐓘𐓻𐓘𐓻𐓟",
	"Runic":               "ᚠᚢᚦᚨᚱᚲ",
	"Saurashtra":          "ꢪꢵꢥꢮꢳ",
	"Sinhala":             "සියලු මනුෂ්\u200dයයෝ නිදහස්ව උපත ලබා ඇත",
	"Sundanese":           "ᮞᮊᮥᮙ᮪ᮔ ᮏᮜ᮪ᮙ",
	"Syriac":              "ܟܠ ܒܪܢܫܐ ܒܪܝܠܗ ܚܐܪܐ",
	"Tai Le":              "ᥐᥨᥢᥰ",
	"Tai Tham":            "ᨣᩫ᩠ᨶᨴᩢ᩠ᩃᩣ᩠ᨿ",
	"Tamil":               "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்",
	"Telugu":              "ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును",
	"Thaana":              "ހުރިހާ އިންސާނުން އުފަންވަނީ މިނިވަންކަމުގައެވެ",
	"Thai":                "มนุษย์เกิดมามีอิสระ",
	"Tibetan":             "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས",
	"Tifinagh":            "ⵉⵎⴷⴰⵏⴻⵏ ⴰⴽⴽⵏ",
	"Urdu":                "تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں",
	"Vai":                 "ꗨꕳꕎ ꕪꕉꖃ",
	"Vietnamese":          "Tất cả mọi người sinh ra đều được tự do",
	"Yi":                  "ꊿꂷꃅꄿꐨꐥ",
}

// isRightToLeft reports whether a script is read from right to left. A document has its own: pdftotext orders all lines of a
// page by the direction of most letters.
func isRightToLeft(script string) bool {
	name, _, _ := strings.Cut(script, " ")
	return slices.Contains([]string{"Arabic", "Hebrew", "Syriac", "Thaana", "Urdu"}, name)
}

// scriptJobs returns two forms with the texts of all scripts.
func scriptJobs(tb testing.TB) [2]pdfworker.Job {
	tb.Helper()
	left, right := map[string]any{}, map[string]any{}
	for script, text := range scriptTexts {
		if isRightToLeft(script) {
			right[script] = text
		} else {
			left[script] = text
		}
	}
	return [2]pdfworker.Job{valueJob(tb, left), valueJob(tb, right)}
}

// TestTextLayerOfScripts checks that the text of a document equals the value, after composition (NFC) and without white
// space and direction marks.
func TestTextLayerOfScripts(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(scriptTexts), 40)
	text := ""
	for _, j := range scriptJobs(t) {
		text += normalizeText(runPoppler(t, render(t, j, nil), "pdftotext", "-enc", "UTF-8", "PDF", "-"))
	}
	require.NotContains(t, text, "U+")
	var broken []string
	for script, value := range scriptTexts {
		if !strings.Contains(text, normalizeText(value)) {
			broken = append(broken, script)
		}
	}
	require.Empty(t, broken)
}

// TestRepairKeepsPages checks that the repair of the text layer changes no pixel.
func TestRepairKeepsPages(t *testing.T) {
	t.Parallel()
	for _, j := range scriptJobs(t) {
		raw, err := formtest.RequirePool(t).RenderRaw(t.Context(), j)
		require.NoError(t, err)
		repaired := render(t, j, nil)
		require.NotEqual(t, raw, repaired)
		require.Equal(t, runPoppler(t, raw, "pdftoppm", "-r", "200", "PDF"), runPoppler(t, repaired, "pdftoppm", "-r", "200", "PDF"))
	}
}
