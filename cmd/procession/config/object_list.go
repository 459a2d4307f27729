package config

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// objectList is a setting with a list of objects: a list in the file, a list in YAML or JSON in the environment and in the flag.
type objectList interface {
	pflag.Value

	// objects returns the list.
	objects() any
}

// parseObjects reads a list without unknown members. Empty text stands for an empty list.
func parseObjects[T any](text, noun string) ([]T, error) {
	var objects []T
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&objects); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("must be a list of %s: %w", noun, err)
	}
	return objects, nil
}

// formatObjects returns the text that parseObjects reads.
func formatObjects[T any](objects []T) string {
	if len(objects) == 0 {
		return ""
	}
	text, err := yaml.Marshal(objects)
	if err != nil {
		return ""
	}
	return string(text)
}
