package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/manifest"
)

// readDocuments reads the documents that -f names. There is at least one.
func readDocuments(cmd *cobra.Command, files []string) ([]manifest.Source, error) {
	if len(files) == 0 {
		return nil, usageError("%s needs -f with a file, a folder, or - for standard input", cmd.CommandPath())
	}
	sources, err := manifest.Read(files, cmd.InOrStdin())
	if err != nil {
		return nil, &failure{kind: domain.KindInvalid, text: "the documents cannot be read\n" + err.Error()}
	}
	return sources, nil
}

// head has the members that identify the resource of a manifest, as far as they are given.
type head struct {
	Kind     oasadmin.ResourceKind `json:"kind"`
	Metadata struct {
		Code   string `json:"code"`
		Tenant string `json:"tenant"`
	} `json:"metadata"`
}

func (h head) tenantCode() string {
	if h.Kind == oasadmin.ResourceKindTenant {
		return h.Metadata.Code
	}
	return h.Metadata.Tenant
}

// headOf reads the head of a document, which may be wrong: then it is as empty
// as it has to be.
func headOf(source manifest.Source) head {
	var h head
	if json.Unmarshal(source.JSON, &h) != nil {
		return head{}
	}
	return h
}

// locateFailure adds to each violation its place in the files:
// "loan.yaml:12:5: ProcessDefinition/LOAN spec.items[0].code: is required".
func locateFailure(err error, sources []manifest.Source) error {
	failed, ok := errors.AsType[*failure](err)
	if !ok || len(failed.infos) == 0 {
		return err
	}
	message, _, _ := strings.Cut(failed.text, "\n")
	lines := []string{message}
	for _, info := range failed.infos {
		location := valueOf(info.Location)
		position := placeOf(sources, location)
		info.Message = otherDocument.ReplaceAllStringFunc(info.Message, func(other string) string { return fileOf(sources, other) })
		switch {
		case position != "":
			lines = append(lines, position+": "+info.Message)
		case location != "":
			lines = append(lines, location+": "+info.Message)
		case info.Message != message:
			lines = append(lines, info.Message)
		}
	}
	return &failure{kind: failed.kind, text: strings.Join(lines, "\n"), infos: failed.infos}
}

// otherDocument matches the place of another document in a message.
var otherDocument = regexp.MustCompile(`/documents/\d+\b`)

// fileOf returns the file and the line of a document.
func fileOf(sources []manifest.Source, document string) string {
	i, err := strconv.Atoi(strings.TrimPrefix(document, "/documents/"))
	if err != nil || i >= len(sources) {
		return document
	}
	line, _ := sources[i].Position("")
	return fmt.Sprintf("%s:%d", sources[i].File, line)
}

// placeOf returns the place in the files that a location of the request came from,
// empty for one that is not in a document.
func placeOf(sources []manifest.Source, location string) string {
	rest, ok := strings.CutPrefix(location, "/documents/")
	if !ok {
		return ""
	}
	number, pointer, _ := strings.Cut(rest, "/")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(sources) {
		return ""
	}
	if pointer != "" {
		pointer = "/" + pointer
	}
	source := sources[i]
	line, column := source.Position(pointer)
	position := fmt.Sprintf("%s:%d:%d:", source.File, line, column)
	if h := headOf(source); h.Kind != "" && h.Metadata.Code != "" {
		position += " " + resourceLabel(h.Kind, h.Metadata.Code, "", false)
	}
	// Explain returns the path behind the file and the line.
	path, ok := strings.CutPrefix(manifest.Explain(sources, location), fmt.Sprintf("%s:%d: ", source.File, line))
	if ok {
		position += " " + path
	}
	return strings.TrimSuffix(position, ":")
}
