package extract

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	unicodes "golang.org/x/text/encoding/unicode"
)

var (
	// errBinary is returned for a text document with binary content.
	errBinary = errors.New("the document is not text")
	// errCharset is returned for a text in an encoding that is neither declared nor recognized.
	errCharset = errors.New("the encoding of the text is not known")
)

const (
	// sampleSize is the size of the part of a text that its encoding is detected in.
	sampleSize = 32 << 10
	// minConfidence is the confidence of the detector from which on it is trusted.
	minConfidence = 0.6
)

// decodeText decodes a text: Unicode by its byte order mark or its form, the declared charset, "" for none, or else the
// detected one.
func decodeText(data []byte, declared string) ([]byte, error) {
	if marked := findSignature(data, byteOrderMarks()); marked != nil {
		return marked.NewDecoder().Bytes(data)
	}
	if bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0 {
		wide := detectWide(data)
		if wide == nil {
			return nil, errBinary
		}
		return wide.NewDecoder().Bytes(data)
	}
	if bytes.Contains(data, []byte("\x1b$B")) || bytes.Contains(data, []byte("\x1b$@")) {
		return japanese.ISO2022JP.NewDecoder().Bytes(data)
	}
	if utf8.Valid(data) {
		return data, nil
	}
	if found, err := htmlindex.Get(declared); err == nil && found != unicodes.UTF8 {
		return found.NewDecoder().Bytes(data)
	}
	found := detectEncoding(data)
	if found == nil {
		return nil, errCharset
	}
	return found.NewDecoder().Bytes(data)
}

// htmlCharset returns the charset of a page: the declared one, or the one in its head.
func htmlCharset(data []byte, declared string) string {
	if declared != "" {
		return declared
	}
	// These two are its defaults as well.
	if _, name, _ := charset.DetermineEncoding(data, ""); name != "windows-1252" && name != "utf-8" {
		return name
	}
	return ""
}

// detectWide returns the encoding of a text in UTF-16 without a byte order mark, by the zeros of its Latin letters.
func detectWide(data []byte) encoding.Encoding {
	var zeros [2]int
	sample := data[:min(len(data), 8<<10)&^1]
	for i, c := range sample {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch many := len(sample) / 8; {
	case len(data)%2 != 0 || zeros[0] > 0 && zeros[1] > 0:
	case zeros[1] > many:
		return unicodes.UTF16(unicodes.LittleEndian, unicodes.IgnoreBOM)
	case zeros[0] > many:
		return unicodes.UTF16(unicodes.BigEndian, unicodes.IgnoreBOM)
	}
	return nil
}

// detectEncoding returns the encoding of a text that is not Unicode, nil if none fits.
func detectEncoding(data []byte) encoding.Encoding {
	sample := sampleOf(data)
	detected := chardet.Detect(sample)
	name := strings.ToLower(detected.Encoding)
	found, err := htmlindex.Get(name)
	switch {
	case err != nil || detected.Confidence < minConfidence || isLatin(name):
	case found == simplifiedchinese.GBK || found == simplifiedchinese.HZGB2312:
		return simplifiedchinese.GB18030
	default:
		return found
	}
	for _, wide := range []encoding.Encoding{
		japanese.ShiftJIS, japanese.EUCJP, simplifiedchinese.GB18030, traditionalchinese.Big5, korean.EUCKR,
	} {
		if isEastAsian(wide, sample) {
			return wide
		}
	}
	return detectLatin(sample)
}

// isLatin reports whether the detector confuses an encoding with similar ones.
func isLatin(name string) bool {
	switch name {
	case "iso-8859-1", "iso-8859-2", "iso-8859-9", "iso-8859-15", "windows-1250", "windows-1252", "windows-1254", "macintosh":
		return true
	}
	return false
}

// sampleOf returns whole lines of a text from its first character beyond ASCII on.
func sampleOf(data []byte) []byte {
	start := max(0, bytes.IndexFunc(data, func(c rune) bool { return c >= utf8.RuneSelf }))
	start = bytes.LastIndexByte(data[:start], '\n') + 1
	sample := data[start:]
	if len(sample) <= sampleSize {
		return sample
	}
	sample = sample[:sampleSize]
	if end := bytes.LastIndexByte(sample, '\n'); end > 0 {
		return sample[:end]
	}
	return sample
}

// isEastAsian reports whether a text is well formed in an encoding, with kana or syllables of Hangul in a text of letters.
func isEastAsian(wide encoding.Encoding, sample []byte) bool {
	text, err := wide.NewDecoder().Bytes(sample)
	if err != nil || bytes.ContainsRune(text, utf8.RuneError) {
		return false
	}
	phonetic, letters, others := 0, 0, 0
	for _, c := range string(text) {
		switch {
		case c < utf8.RuneSelf:
		case unicode.In(c, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && (c < 0xff61 || c > 0xff9f):
			phonetic++
		case unicode.Is(unicode.Han, c), c >= 0x3000 && c < 0x3040, c >= 0xff00 && c < 0xff61:
			letters++
		default:
			others++
		}
	}
	return phonetic > 0 && others*20 <= phonetic+letters
}

// detectLatin returns the encoding in which the fewest characters are out of place, nil if many are in all of them.
func detectLatin(sample []byte) encoding.Encoding {
	var best encoding.Encoding
	fewest, high := -1, 0
	// These are the encodings of European languages, the most frequent one first.
	for _, latin := range []*charmap.Charmap{charmap.Windows1252, charmap.Windows1250, charmap.Windows1254, charmap.ISO8859_2} {
		text, err := latin.NewDecoder().Bytes(sample)
		if err != nil {
			continue
		}
		misplaced, count := countMisplaced([]rune(string(text)), latin == charmap.Windows1254)
		if fewest < 0 || misplaced < fewest || misplaced == fewest && latin == charmap.Windows1254 && strings.ContainsAny(string(text), "ığş") {
			best, fewest, high = latin, misplaced, count
		}
	}
	if fewest*10 > high {
		return nil
	}
	return best
}

// turkish are the letters beyond ASCII of Turkish.
const turkish = "çöüÇÖÜâîûığşİĞŞ"

// countMisplaced counts the characters beyond ASCII, and among them the ones that no text has at their place: undefined
// ones, symbols within a word, and capitals after small letters.
func countMisplaced(text []rune, isTurkish bool) (misplaced, high int) {
	for i, c := range text {
		if c < utf8.RuneSelf {
			continue
		}
		high++
		before, after := i > 0 && unicode.IsLetter(text[i-1]), i+1 < len(text) && unicode.IsLetter(text[i+1])
		switch {
		case c == utf8.RuneError || unicode.IsControl(c):
			misplaced++
		case unicode.IsLetter(c):
			if before && unicode.IsUpper(c) && unicode.IsLower(text[i-1]) {
				misplaced++
			}
			if isTurkish && !strings.ContainsRune(turkish, c) {
				misplaced++
			}
		case before && after && !strings.ContainsRune("’‘·–—\u00ad\u00a0", c):
			misplaced++
		}
	}
	return misplaced, high
}
