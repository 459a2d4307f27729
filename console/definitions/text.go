package definitions

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

// textOf writes a manifest as people edit it, without the id, which never changes.
func textOf(document resource.Document) (string, error) {
	document.Metadata.ID = nil
	return formatValue(document)
}

func formatValue(value any) (string, error) {
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

// line is one of a comparison. Old and New count from 1 and are 0 where the line is not.
type line struct {
	Old, New int
	Text     string
}

// part is a stretch of lines around something that differs.
type part []line

// compareTexts returns the differences of two texts with their context.
func compareTexts(before, after string) ([]part, error) {
	compared, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		return nil, fmt.Errorf("comparing manifests: %w", err)
	}
	var parts []part
	for _, hunk := range compared.Hunks {
		from, to := hunk.FromLine, hunk.ToLine
		var lines part
		for _, l := range hunk.Lines {
			shown := line{Text: strings.TrimSuffix(l.Content, "\n")}
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

// pinnedText writes the schemas of data structures that a version pins.
func pinnedText(structures map[string]json.RawMessage) (string, error) {
	if len(structures) == 0 {
		return "", nil
	}
	text, err := formatValue(map[string]any{"pinnedDataStructures": structures})
	return "---\n" + text, err
}
