package resources

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

// Text writes a manifest as people edit it, without the id, which never changes.
func Text(document resource.Document) (string, error) {
	document.Metadata.ID = nil
	return FormatValue(document)
}

// FormatValue writes a value as YAML.
func FormatValue(value any) (string, error) {
	encoded, err := jsontext.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("encoding a manifest: %w", err)
	}
	text, err := manifest.Format(encoded)
	if err != nil {
		return "", fmt.Errorf("writing a manifest: %w", err)
	}
	return string(text), nil
}

// Line is one of a comparison. Old and New count from 1 and are 0 where the line is not.
type Line struct {
	Old, New int
	Text     string
}

// Part is a stretch of lines around something that differs.
type Part []Line

// Compare returns the differences of two texts with their context.
func Compare(before, after string) ([]Part, error) {
	compared, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		return nil, fmt.Errorf("comparing manifests: %w", err)
	}
	var parts []Part
	for _, hunk := range compared.Hunks {
		from, to := hunk.FromLine, hunk.ToLine
		var lines Part
		for _, l := range hunk.Lines {
			shown := Line{Text: strings.TrimSuffix(l.Content, "\n")}
			if l.Kind != udiff.Insert {
				shown.Old = from
				from++
			}
			if l.Kind != udiff.Delete {
				shown.New = to
				to++
			}
			lines = append(lines, shown)
		}
		parts = append(parts, lines)
	}
	return parts, nil
}

// CompareManifests returns the differences of two manifests, either of which may be nil.
func CompareManifests(before, after *resource.Document) ([]Part, error) {
	var sides [2]string
	for i, document := range []*resource.Document{before, after} {
		if document == nil {
			continue
		}
		var err error
		if sides[i], err = Text(*document); err != nil {
			return nil, err
		}
	}
	return Compare(sides[0], sides[1])
}
