package kuflowref

import "strconv"

// File refers to a document.
type File struct {
	// URI is where the document is: the text of a URI in the strings of this
	// service.
	URI string
	// Type is the media type.
	Type string
	// Size is in bytes, and never negative.
	Size int64
	Name string
	// OriginalName is what the file was called before it was converted, "" when
	// it was not.
	OriginalName string

	other []part
}

// ParseFile reads a reference to a document. All parts but original-name are
// needed.
func ParseFile(text string) (File, bool) {
	p, ok := read(text, KindFile, "uri", "type", "size", "name", "original-name")
	if !ok || !p.has("uri", "type", "size", "name") || p.known["uri"] == "" {
		return File{}, false
	}
	size, ok := p.size("size")
	if !ok {
		return File{}, false
	}
	return File{
		URI: p.known["uri"], Type: p.known["type"], Size: size, Name: p.known["name"],
		OriginalName: p.known["original-name"], other: p.other,
	}, true
}

// Kind is KindFile.
func (File) Kind() Kind { return KindFile }

// String writes the reference.
func (f File) String() string {
	return write(KindFile).
		add("uri", f.URI).add("type", f.Type).add("size", strconv.FormatInt(f.Size, 10)).add("name", f.Name).
		optional("original-name", f.OriginalName).end(f.other)
}

// Document is the document of this service that the file is, if it is one.
func (f File) Document() (URI, bool) { return ParseURI(f.URI) }
