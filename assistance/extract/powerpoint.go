package extract

import "encoding/xml"

// readPowerPoint writes the slides of a pptx with their diagrams and notes.
func (r *reader) readPowerPoint(data []byte) error {
	o, err := r.openOffice(data)
	if err != nil {
		return err
	}
	main, err := o.mainPart("presentationml", "/ppt/presentation.xml")
	if err != nil {
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
	var slides []string
	if err := o.walkPart(main, func(token xml.Token) error {
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "sldId" {
			if len(slides) >= maxParts {
				return errTooLarge
			}
			slides = append(slides, targets[relationID(e)])
		}
		return nil
	}); err != nil {
		return err
	}
	for _, slide := range slides {
		if err := o.writeSlide(slide); err != nil {
			return err
		}
	}
	return nil
}

// relationID returns the id of a relation in an element that may have an id of its own without a prefix.
func relationID(element xml.StartElement) string {
	for _, a := range element.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return attributeValue(element, "id")
}

func (o *office) writeSlide(name string) error {
	relations, err := o.listRelations(name)
	if err != nil {
		return err
	}
	parts := append([]string{name}, targetsOf(relations, "diagramData")...)
	for _, part := range append(parts, targetsOf(relations, "notesSlide")...) {
		if err := o.writePart(part); err != nil {
			return err
		}
	}
	return o.r.out.write("\n")
}
