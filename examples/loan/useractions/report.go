package useractions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/procession-dev/procession/examples/loan/sheet"
	"github.com/procession-dev/procession/sdk/rest"
)

// renderReport returns a table with a line for every value of the process and of its tasks, with numbers as they are there.
func renderReport(process rest.Process, tasks []rest.ProcessItem) ([]byte, error) {
	lines := [][]string{{"item", "state", "name", "value"}, {"LOAN", string(process.State), "id", process.ID.String()}}
	if process.Metadata != nil {
		of, err := valueRows("LOAN", string(process.State), process.Metadata)
		if err != nil {
			return nil, err
		}
		lines = append(lines, of...)
	}
	for _, task := range tasks {
		of, err := valueRows(task.ProcessItemDefinitionRef.Code, string(task.Task.State), task.Task.Data)
		if err != nil {
			return nil, err
		}
		lines = append(lines, of...)
	}
	content, err := sheet.Encode(lines)
	if err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return content, nil
}

// valueRows returns the lines of an object, in the order of its names. An item without values has a line without any.
func valueRows(item, state string, value *rest.JSONValue) ([][]string, error) {
	var object map[string]json.RawMessage
	if value != nil {
		if err := json.Unmarshal(value.Value, &object); err != nil {
			return nil, fmt.Errorf("reading the data of %s: %w", item, err)
		}
	}
	if len(object) == 0 {
		return [][]string{{item, state, "", ""}}, nil
	}
	var lines [][]string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		lines = append(lines, []string{item, state, name, plainText(object[name])})
	}
	return lines, nil
}

// plainText returns the content of a JSON string and the text of everything else. Programs that show tables take a text that
// begins with one of =+-@ for a formula; the quote before it keeps them from that.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
