package extract

import (
	"encoding/xml"
	"path"
	"strconv"
	"strings"
)

const (
	// maxStrings is the maximum number of shared strings of a workbook.
	maxStrings = 1_000_000
	// maxSheets is the maximum number of sheets of a workbook.
	maxSheets = 1_000
)

// A workbook contains the shared parts of an xlsx.
type workbook struct {
	*office
	sheets []sheet
	shared []string
	// moments are the styles that show a number as a date or a time.
	moments map[int]moment
	// since1904 reports whether days are counted from 1904.
	since1904 bool
}

type sheet struct{ name, relation string }

// readExcel writes the sheets of an xlsx: a line for each row that is not empty, and the header and the footer after the rows.
func (r *reader) readExcel(data []byte) error {
	o, err := r.openOffice(data)
	if err != nil {
		return err
	}
	w := &workbook{office: o, moments: map[int]moment{}}
	main, err := o.mainPart("spreadsheetml", "/xl/workbook.xml")
	if err != nil {
		return err
	}
	if err := o.walkPart(main, w.readBook); err != nil {
		return err
	}
	relations, err := o.listRelations(main)
	if err != nil {
		return err
	}
	targets := map[string]string{}
	for _, r := range relations {
		targets[r.id] = r.target
	}
	if err := w.readStrings(firstTarget(relations, "sharedStrings", path.Join(path.Dir(main), "sharedStrings.xml"))); err != nil {
		return err
	}
	if err := w.readStyles(firstTarget(relations, "styles", path.Join(path.Dir(main), "styles.xml"))); err != nil {
		return err
	}
	for _, s := range w.sheets {
		if err := w.writeSheet(s.name, targets[s.relation]); err != nil {
			return err
		}
	}
	return nil
}

// writeSheet writes the rows of a sheet and the texts of its drawings.
func (w *workbook) writeSheet(name, part string) error {
	if err := w.r.out.write(name, "\n"); err != nil {
		return err
	}
	if part == "" {
		return w.r.out.write("\n\n")
	}
	around := &headerFooter{}
	readRows := w.sheetReader()
	if err := w.walkPart(part, func(token xml.Token) error {
		around.visit(w.r.out, token)
		return readRows(token)
	}); err != nil {
		return err
	}
	if err := w.r.out.write(around.text.String()); err != nil {
		return err
	}
	relations, err := w.listRelations(part)
	if err != nil {
		return err
	}
	for _, drawing := range targetsOf(relations, "drawing") {
		if err := w.writePart(drawing); err != nil {
			return err
		}
	}
	return w.r.out.write("\n\n")
}

func (w *workbook) readBook(token xml.Token) error {
	e, ok := token.(xml.StartElement)
	switch {
	case !ok:
	case e.Name.Local == "sheet":
		if len(w.sheets) >= maxSheets {
			return errTooLarge
		}
		w.sheets = append(w.sheets, sheet{name: attributeValue(e, "name"), relation: relationID(e)})
	case e.Name.Local == "workbookPr":
		value := attributeValue(e, "date1904")
		w.since1904 = value == "1" || value == "true"
	}
	return nil
}

func (w *workbook) readStrings(part string) error {
	var current strings.Builder
	inText, phonetic := false, false
	err := w.walkPart(part, func(token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				inText = true
			case "rPh":
				phonetic = true
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				inText = false
			case "rPh":
				phonetic = false
			case "si":
				if len(w.shared) >= maxStrings {
					return errTooLarge
				}
				w.shared = append(w.shared, current.String())
				current.Reset()
			}
		case xml.CharData:
			if inText && !phonetic {
				w.r.out.addText(&current, t)
			}
		}
		return nil
	})
	return err
}

// readStyles finds the styles of dates and times.
func (w *workbook) readStyles(part string) error {
	formats := map[string]moment{}
	inCells, style := false, 0
	err := w.walkPart(part, func(token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "numFmt":
				formats[attributeValue(t, "numFmtId")] = momentOfFormat(attributeValue(t, "formatCode"))
			case "cellXfs":
				inCells = true
			case "xf":
				if inCells {
					id := attributeValue(t, "numFmtId")
					m, ok := formats[id]
					if !ok {
						m = builtInMoment(id)
					}
					if m != momentNone {
						w.moments[style] = m
					}
					style++
				}
			}
		case xml.EndElement:
			if t.Name.Local == "cellXfs" {
				inCells = false
			}
		}
		return nil
	})
	return err
}

// sheetReader writes the rows of a sheet.
func (w *workbook) sheetReader() func(xml.Token) error {
	var value strings.Builder
	cells := 0
	kind, style, inValue := "", 0, false
	return func(token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				cells = 0
			case "c":
				kind = attributeValue(t, "t")
				style, _ = strconv.Atoi(attributeValue(t, "s")) // None is the first style.
				value.Reset()
			case "v", "t":
				inValue = true
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				inValue = false
			case "c":
				text := w.cellText(kind, style, value.String())
				if text == "" {
					return nil
				}
				// Cells may share a long string: they are not gathered.
				if cells++; cells > 1 {
					return w.r.out.write(" | ", text)
				}
				return w.r.out.write(text)
			case "row":
				if cells > 0 {
					return w.r.out.write("\n")
				}
			}
		case xml.CharData:
			if inValue {
				w.r.out.addText(&value, t)
			}
		}
		return nil
	}
}

// cellText returns the text of a cell of a type.
func (w *workbook) cellText(kind string, style int, value string) string {
	switch kind {
	case "s":
		index, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || index < 0 || index >= len(w.shared) {
			return ""
		}
		return strings.TrimSpace(w.shared[index])
	case "b":
		if value == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "", "n":
		if text, ok := w.momentText(w.moments[style], value); ok {
			return text
		}
	}
	return strings.TrimSpace(value)
}
