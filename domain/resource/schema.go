package resource

import "embed"

//go:embed schemas/*.json
var schemas embed.FS

// Schema is the JSON Schema (draft 2020-12) of the documents of a kind, nil for
// a kind that does not exist. It stands for itself. Editors show what it says of
// each member, and in patternErrorMessage what is wrong.
func Schema(kind Kind) []byte {
	return read(string(kind))
}

// SchemaOfAny is the JSON Schema of the documents of all kinds. It refers to
// those of Schema by addresses relative to its own.
func SchemaOfAny() []byte {
	return read("resource")
}

func read(name string) []byte {
	text, err := schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return nil
	}
	return text
}
