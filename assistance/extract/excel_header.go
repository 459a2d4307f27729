package extract

import (
	"encoding/xml"
	"regexp"
	"strings"
)

// headerFooter collects the headers and footers of a sheet.
type headerFooter struct {
	text, current strings.Builder
	within        bool
}

// headerCode is a code in a header (ISO 29500-1, section 18.3.1.39), for a font, a size, a colour, a field or a section.
var headerCode = regexp.MustCompile(`&(?:"[^"]*"|\d+|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|[^"0-9K])`)

// cleanHeader returns the text of a header without codes, a line for each section.
func cleanHeader(text string) string {
	return headerCode.ReplaceAllStringFunc(text, func(code string) string {
		switch code {
		case "&&":
			return "&"
		case "&L", "&C", "&R":
			return "\n"
		}
		return ""
	})
}

func (h *headerFooter) visit(out *sink, token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		h.within = h.within || isHeader(t.Name.Local)
	case xml.EndElement:
		if h.within && isHeader(t.Name.Local) {
			h.within = false
			out.addText(&h.text, []byte(cleanHeader(h.current.String())+"\n"))
			h.current.Reset()
		}
	case xml.CharData:
		if h.within {
			out.addText(&h.current, t)
		}
	}
}

func isHeader(element string) bool {
	switch element {
	case "oddHeader", "evenHeader", "firstHeader", "oddFooter", "evenFooter", "firstFooter":
		return true
	}
	return false
}
