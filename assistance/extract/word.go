package extract

import (
	"encoding/xml"
	"errors"
	"strings"
)

var errNoDocument = errors.New("there is no text part in the document")

// readWord writes the paragraphs of a docx, then its notes.
func (r *reader) readWord(data []byte) error {
	o, err := r.openOffice(data)
	if err != nil {
		return err
	}
	found, err := o.wordPart("word/document.xml")
	if err != nil {
		return err
	}
	if !found {
		return errNoDocument
	}
	for _, name := range []string{"word/footnotes.xml", "word/endnotes.xml"} {
		if _, err := o.wordPart(name); err != nil {
			return err
		}
	}
	return nil
}

func (o *office) wordPart(name string) (bool, error) {
	// These elements contain deleted text, field codes, and copies for older programs.
	hidden, cells := 0, 0
	inText := false
	var paragraph strings.Builder
	return o.walkPart(name, func(token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "del", "instrText", "Fallback", "moveFrom":
				hidden++
			case "t":
				inText = true
			case "tc":
				cells++
			case "tab":
				o.r.out.addText(&paragraph, []byte(" "))
			case "br", "cr":
				o.r.out.addText(&paragraph, []byte("\n"))
			case "noBreakHyphen":
				o.r.out.addText(&paragraph, []byte("-"))
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "del", "instrText", "Fallback", "moveFrom":
				hidden--
			case "t":
				inText = false
			case "p":
				text := paragraph.String()
				paragraph.Reset()
				if cells > 0 {
					return o.r.out.write(text, " ")
				}
				return o.r.out.write(text, "\n")
			case "tc":
				cells--
				return o.r.out.write("| ")
			case "tr":
				return o.r.out.write("\n")
			}
		case xml.CharData:
			if inText && hidden <= 0 {
				o.r.out.addText(&paragraph, t)
			}
		}
		return nil
	})
}
