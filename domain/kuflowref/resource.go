package kuflowref

import "github.com/google/uuid"

// BusinessArtifact refers to a business artifact.
type BusinessArtifact struct {
	ID           uuid.UUID
	DefinitionID uuid.UUID
	// Title is "" when the reference has none.
	Title string

	other []part
}

// ParseBusinessArtifact parses a reference to a business artifact. Both ids are required.
func ParseBusinessArtifact(text string) (BusinessArtifact, bool) {
	p, ok := readParts(text, KindBusinessArtifact, "id", "definitionId", "title")
	id, isID := p.idPart("id")
	definition, isDefinition := p.idPart("definitionId")
	if !ok || !isID || !isDefinition {
		return BusinessArtifact{}, false
	}
	return BusinessArtifact{ID: id, DefinitionID: definition, Title: p.values["title"], other: p.other}, true
}

// Kind returns KindBusinessArtifact.
func (BusinessArtifact) Kind() Kind { return KindBusinessArtifact }

// String returns the text of the reference.
func (a BusinessArtifact) String() string {
	return newWriter(KindBusinessArtifact).add("id", a.ID.String()).add("definitionId", a.DefinitionID.String()).
		addOptional("title", a.Title).finishText(a.other)
}

// DataSource refers to an item of a data source.
type DataSource struct {
	ID uuid.UUID
	// Name is "" when the reference has none.
	Name string

	other []part
}

// ParseDataSource parses a reference to an item of a data source. Only the id is required.
func ParseDataSource(text string) (DataSource, bool) {
	id, name, other, ok := readNamed(text, KindDataSource)
	return DataSource{ID: id, Name: name, other: other}, ok
}

// Kind returns KindDataSource.
func (DataSource) Kind() Kind { return KindDataSource }

// String returns the text of the reference.
func (d DataSource) String() string {
	return newWriter(KindDataSource).add("id", d.ID.String()).addOptional("name", d.Name).finishText(d.other)
}

// Process refers to a process.
type Process struct {
	ID uuid.UUID
	// Name is "" when the reference has none.
	Name string

	other []part
}

// ParseProcess parses a reference to a process. Only the id is required.
func ParseProcess(text string) (Process, bool) {
	id, name, other, ok := readNamed(text, KindProcess)
	return Process{ID: id, Name: name, other: other}, ok
}

// Kind returns KindProcess.
func (Process) Kind() Kind { return KindProcess }

// String returns the text of the reference.
func (p Process) String() string {
	return newWriter(KindProcess).add("id", p.ID.String()).addOptional("name", p.Name).finishText(p.other)
}

// readNamed parses a reference that has an id and may have a name.
func readNamed(text string, kind Kind) (uuid.UUID, string, []part, bool) {
	p, ok := readParts(text, kind, "id", "name")
	id, isID := p.idPart("id")
	if !ok || !isID {
		return uuid.UUID{}, "", nil, false
	}
	return id, p.values["name"], p.other, true
}
