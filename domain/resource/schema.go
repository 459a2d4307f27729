package resource

import (
	"embed"
	"encoding/json"
)

//go:embed schemas/*.json
var schemas embed.FS

// Schema returns the JSON Schema (draft 2020-12) of the manifests of a kind, nil for a kind that does not exist.
// It is self-contained. Editors show its descriptions of members, and its patternErrorMessage for errors.
func Schema(kind Kind) []byte {
	text, err := schemas.ReadFile("schemas/" + string(kind) + ".json")
	if err != nil {
		return nil
	}
	return text
}

// SchemaOfAny returns the JSON Schema of the manifests of all kinds. It refers to the schemas of Schema by relative
// addresses.
func SchemaOfAny() []byte {
	type constant struct {
		Const Kind `json:"const"`
	}
	type ofKind struct {
		Properties map[string]constant `json:"properties"`
		Required   []string            `json:"required"`
	}
	type branch struct {
		If   ofKind            `json:"if"`
		Then map[string]string `json:"then"`
	}
	object := map[string]string{"type": "object"}
	var branches []branch
	for _, kind := range Kinds() {
		branches = append(branches, branch{
			If:   ofKind{Properties: map[string]constant{"kind": {kind}}, Required: []string{"kind"}},
			Then: map[string]string{"$ref": string(kind) + ".json"},
		})
	}
	text, _ := json.MarshalIndent(map[string]any{ //nolint:errchkjson // Texts and lists always encode.
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "/schemas/procession/v1/resource.json",
		"title": "resource", "description": "A declarative resource of any kind.",
		"type": "object", "required": []string{"apiVersion", "kind", "metadata", "spec"},
		"properties": map[string]any{
			"apiVersion": map[string]string{"description": "The version of the manifest format.", "const": APIVersion},
			"kind":       map[string]any{"description": "The kind of the resource.", "enum": Kinds()},
			"metadata":   object, "spec": object,
		},
		"allOf": branches,
	}, "", "  ")
	return text
}
