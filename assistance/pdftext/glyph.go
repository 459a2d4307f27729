package pdftext

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// accent composes the letters whose names end in a mark, such as eacute.
func accent(named string) (string, bool) {
	for suffix, mark := range map[string]string{
		"grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306",
		"dotaccent": "\u0307", "dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "caron": "\u030c",
		"commaaccent": "\u0326", "cedilla": "\u0327", "ogonek": "\u0328", "tonos": "\u0301",
	} {
		base, ok := strings.CutSuffix(named, suffix)
		if !ok || base == "" {
			continue
		}
		letter := base
		if len(base) > 1 {
			if letter, ok = word(base); !ok {
				continue
			}
		}
		return norm.NFC.String(letter + mark), true
	}
	return "", false
}

// glyphText is the text of a glyph by its name in a font, "" when the name tells
// nothing.
func glyphText(named string) string {
	named, _, _ = strings.Cut(named, ".")
	if known, ok := word(named); ok {
		return known
	}
	if len(named) == 1 {
		return named
	}
	if accented, ok := accent(named); ok {
		return accented
	}
	if parts := strings.Split(named, "_"); len(parts) > 1 && len(parts) <= 4 {
		var joined strings.Builder
		for _, part := range parts {
			joined.WriteString(glyphText(part))
		}
		return joined.String()
	}
	for _, prefix := range []string{"uni", "u"} {
		digits, ok := strings.CutPrefix(named, prefix)
		if !ok || len(digits) < 4 || len(digits) > 6 {
			continue
		}
		if code, err := strconv.ParseUint(digits, 16, 21); err == nil {
			return string(rune(code))
		}
	}
	return cyrillic(named)
}

// cyrillic are the letters that are named by numbers.
func cyrillic(named string) string {
	digits, ok := strings.CutPrefix(named, "afii")
	if !ok {
		return ""
	}
	code, err := strconv.Atoi(digits)
	switch {
	case err != nil:
	case code == 10023:
		return "Ё"
	case code == 10071:
		return "ё"
	case 10017 <= code && code <= 10022:
		return string(rune('А' + code - 10017))
	case 10024 <= code && code <= 10049:
		return string(rune('Ж' + code - 10024))
	case 10065 <= code && code <= 10070:
		return string(rune('а' + code - 10065))
	case 10072 <= code && code <= 10097:
		return string(rune('ж' + code - 10072))
	case code == 61352:
		return "№"
	}
	return ""
}

// word is the glyph whose name is a word.
func word(named string) (string, bool) {
	switch named {
	case "mu":
		return "µ", true
	case "sfthyphen":
		return "-", true
	}
	const (
		greek = "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho _ Sigma Tau Upsilon Phi Chi Psi Omega"
		table = "space  |exclam !|quotedbl \"|numbersign #|dollar $|percent %|ampersand &|quotesingle '|parenleft (|parenright )|asterisk *|" +
			"plus +|comma ,|hyphen -|period .|slash /|zero 0|one 1|two 2|three 3|four 4|five 5|six 6|seven 7|eight 8|nine 9|colon :|" +
			"semicolon ;|less <|equal =|greater >|question ?|at @|bracketleft [|backslash \\|bracketright ]|asciicircum ^|underscore _|" +
			"grave `|braceleft {|bar \u007c|braceright }|asciitilde ~|quoteleft ‘|quoteright ’|quotedblleft “|quotedblright ”|" +
			"quotesinglbase ‚|quotedblbase „|guilsinglleft ‹|guilsinglright ›|guillemotleft «|guillemotright »|endash –|emdash —|" +
			"bullet •|ellipsis …|dagger †|daggerdbl ‡|perthousand ‰|fraction ⁄|minus −|multiply ×|divide ÷|plusminus ±|" +
			"periodcentered ·|section §|paragraph ¶|copyright ©|registered ®|trademark ™|degree °|cent ¢|sterling £|yen ¥|currency ¤|" +
			"florin ƒ|Euro €|euro €|exclamdown ¡|questiondown ¿|ordfeminine ª|ordmasculine º|onesuperior ¹|twosuperior ²|" +
			"threesuperior ³|onehalf ½|onequarter ¼|threequarters ¾|logicalnot ¬|brokenbar ¦|germandbls ß|AE Æ|ae æ|OE Œ|oe œ|" +
			"Oslash Ø|oslash ø|Lslash Ł|lslash ł|Eth Ð|eth ð|Thorn Þ|thorn þ|Dcroat Đ|dcroat đ|dotlessi ı|Aring Å|aring å|" +
			"ff ff|fi fi|fl fl|ffi ffi|ffl ffl|nbspace  |nonbreakingspace  |acute ´|dieresis ¨|cedilla ¸|macron ¯|circumflex ˆ|" +
			"tilde ˜|caron ˇ|breve ˘|ring ˚|ogonek ˛|infinity ∞|notequal ≠|lessequal ≤|greaterequal ≥|approxequal ≈|" +
			"summation ∑|product ∏|radical √|integral ∫|partialdiff ∂|sigma1 ς|arrowright →|arrowleft ←|checkmark ✓"
	)
	if _, after, ok := strings.Cut("|"+table, "|"+named+" "); ok && named != "" {
		text, _, _ := strings.Cut(after, "|")
		if text == "" && named == "bar" {
			text = "|"
		}
		return text, true
	}
	for i, letter := range strings.Fields(greek) {
		switch named {
		case "_":
		case letter:
			return string(rune('Α' + i)), true
		case strings.ToLower(letter):
			return string(rune('α' + i)), true
		}
	}
	return "", false
}
