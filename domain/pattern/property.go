package pattern

import (
	"strings"
	"sync"
	"unicode"
)

// propertySet returns the content of a class for a Unicode property of ECMA-262, "" for an unknown one.
func propertySet(expression string, negated bool) string {
	escape := `\p{`
	if negated {
		escape = `\P{`
	}
	name, value, valued := strings.Cut(expression, "=")
	switch {
	case valued && (name == "Script" || name == "sc"):
		if _, ok := unicode.Scripts[value]; ok {
			return escape + value + "}"
		}
		return ""
	case valued && (name == "General_Category" || name == "gc"):
		expression = value
	case valued:
		return ""
	}
	if short, ok := categories[expression]; ok {
		return escape + short + "}"
	}
	if _, ok := unicode.Categories[expression]; ok && len(expression) <= len("Lu") && expression != "Cn" {
		return escape + expression + "}"
	}
	if valued {
		return ""
	}
	return binarySet(expression, negated)
}

// categories are the long names of general categories.
//
//nolint:gochecknoglobals // a constant
var categories = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
	"Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps",
	"Close_Punctuation": "Pe", "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
	"Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So",
	"Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
	"Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Private_Use": "Co", "Surrogate": "Cs",
}

// A binary contains the content of a class with the characters of a property, and of a class with all others.
type binary = func() (content, others string)

// binaries are the binary properties of ECMA-262 for which package unicode has data.
//
//nolint:gochecknoglobals // each is made by its first use
var binaries = map[string]binary{
	"Alphabetic":      binaryOf(unicode.L, unicode.Nl, unicode.Other_Alphabetic),
	"Lowercase":       binaryOf(unicode.Ll, unicode.Other_Lowercase),
	"Uppercase":       binaryOf(unicode.Lu, unicode.Other_Uppercase),
	"White_Space":     binaryOf(unicode.White_Space),
	"Ideographic":     binaryOf(unicode.Ideographic),
	"ASCII_Hex_Digit": binaryOf(unicode.ASCII_Hex_Digit),
	"Hex_Digit":       binaryOf(unicode.Hex_Digit),
	"Dash":            binaryOf(unicode.Dash),
	"ASCII":           func() (string, string) { return `\x{0}-\x{7f}`, `\x{80}-\x{10ffff}` },
	"Any":             func() (string, string) { return `\x{0}-\x{10ffff}`, "" },
}

// shortBinaries are the short names of binary properties.
//
//nolint:gochecknoglobals // a constant
var shortBinaries = map[string]string{
	"Alpha": "Alphabetic", "Lower": "Lowercase", "Upper": "Uppercase", "space": "White_Space", "Ideo": "Ideographic",
	"AHex": "ASCII_Hex_Digit", "Hex": "Hex_Digit",
}

// binarySet returns the content of a class for a binary property.
func binarySet(name string, negated bool) string {
	if long, ok := shortBinaries[name]; ok {
		name = long
	}
	property := binaries[name]
	if property == nil {
		return ""
	}
	content, others := property()
	if negated {
		return others
	}
	return content
}

func binaryOf(tables ...*unicode.RangeTable) binary {
	return sync.OnceValues(func() (content, others string) {
		return writeRanges(tables, false), writeRanges(tables, true)
	})
}

// writeRanges returns the content of a class with the characters of tables, or with all others.
func writeRanges(tables []*unicode.RangeTable, negated bool) string {
	var text strings.Builder
	write := func(first, last rune) {
		if first <= last {
			text.WriteString(hexEscape(first) + "-" + hexEscape(last))
		}
	}
	first := rune(-1)
	for c := rune(0); c <= unicode.MaxRune+1; c++ {
		in := c <= unicode.MaxRune && unicode.In(c, tables...) != negated
		switch {
		case in && first < 0:
			first = c
		case !in && first >= 0:
			write(first, c-1)
			first = -1
		}
	}
	return text.String()
}
