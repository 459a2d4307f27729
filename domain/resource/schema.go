package resource

import "embed"

//go:embed schemas/*.json
var schemas embed.FS

// Schema returns the JSON Schema (draft 2020-12) of the manifests of a kind, nil for a kind that does not exist.
// It is self-contained. Editors show its descriptions of members, and its patternErrorMessage for errors.
func Schema(kind Kind) []byte {
	return read(string(kind))
}

// SchemaOfAny returns the JSON Schema of the manifests of all kinds. It refers to those of Schema by addresses
// relative to its own.
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
