package kuflowref

import "strconv"

// File refers to a document.
type File struct {
	// URI is the address of the document: the text of a URI in the strings of this service.
	URI string
	// Type is the media type.
	Type string
	// Size is in bytes, and never negative.
	Size int64
	Name string
	// OriginalName is the name of the file before it was converted, "" when it was not.
	OriginalName string

	other []part
}

// ParseFile parses a reference to a document. All parts but original-name are required.
func ParseFile(text string) (File, bool) {
	p, ok := readParts(text, KindFile, "uri", "type", "size", "name", "original-name")
	if !ok || !p.has("uri", "type", "size", "name") || p.values["uri"] == "" {
		return File{}, false
	}
	size, ok := p.sizePart("size")
	if !ok {
		return File{}, false
	}
	return File{
		URI: p.values["uri"], Type: p.values["type"], Size: size, Name: p.values["name"],
		OriginalName: p.values["original-name"], other: p.other,
	}, true
}

// Kind returns KindFile.
func (File) Kind() Kind { return KindFile }

// String returns the text of the reference.
func (f File) String() string {
	return newWriter(KindFile).
		add("uri", f.URI).add("type", f.Type).add("size", strconv.FormatInt(f.Size, 10)).add("name", f.Name).
		addOptional("original-name", f.OriginalName).finishText(f.other)
}

// Document returns the address of the document if it is one of this service.
func (f File) Document() (URI, bool) { return ParseURI(f.URI) }
