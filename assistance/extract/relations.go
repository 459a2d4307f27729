package extract

import (
	"encoding/xml"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A relation leads from a part to another one (ISO 29500-2, section 6.5).
type relation struct {
	id string
	// kind is the last part of its type, which is the same in the transitional and the strict namespaces.
	kind string
	// target is the name of the part.
	target string
}

// listRelations lists the internal relations of a part, of the whole package for "/".
func (o *office) listRelations(part string) ([]relation, error) {
	var found []relation
	directory, name := path.Split(path.Clean("/" + part))
	err := o.walkPart(path.Join(directory, "_rels", name+".rels"), func(token xml.Token) error {
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "Relationship" || strings.EqualFold(attributeValue(e, "TargetMode"), "External") {
			return nil
		}
		if len(found) >= maxParts {
			return errTooLarge
		}
		target := strings.ReplaceAll(attributeValue(e, "Target"), `\`, "/")
		if address, err := url.Parse(target); err == nil {
			target = address.Path
		}
		if !strings.HasPrefix(target, "/") {
			target = path.Join(directory, target)
		}
		found = append(found, relation{
			id: attributeValue(e, "Id"), kind: path.Base(attributeValue(e, "Type")), target: path.Clean(target),
		})
		return nil
	})
	return found, err
}

// targetsOf returns the targets of the relations of a kind, each once.
func targetsOf(relations []relation, kind string) []string {
	var targets []string
	for _, r := range relations {
		if r.kind == kind && !slices.Contains(targets, r.target) {
			targets = append(targets, r.target)
		}
	}
	return targets
}

// firstTarget returns the target of the first relation of a kind, or the usual name.
func firstTarget(relations []relation, kind, usual string) string {
	if targets := targetsOf(relations, kind); len(targets) > 0 {
		return targets[0]
	}
	return usual
}

// mainPart returns the name of the main part of a document: the target of the package, the part with the content type,
// or the usual name.
func (o *office) mainPart(contentType, usual string) (string, error) {
	relations, err := o.listRelations("/")
	if err != nil {
		return "", err
	}
	if targets := targetsOf(relations, "officeDocument"); len(targets) > 0 && o.parts[partName(targets[0])] != nil {
		return targets[0], nil
	}
	main := ""
	err = o.walkPart("[Content_Types].xml", func(token xml.Token) error {
		e, ok := token.(xml.StartElement)
		if ok && e.Name.Local == "Override" && main == "" && strings.Contains(attributeValue(e, "ContentType"), contentType) {
			main = attributeValue(e, "PartName")
		}
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case main != "" && o.parts[partName(main)] != nil:
		return main, nil
	case o.parts[partName(usual)] != nil:
		return usual, nil
	}
	return "", errNoDocument
}
