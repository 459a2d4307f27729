package useractions

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// report is a table with a line for every value of the process and of its tasks, with numbers as they are there.
func report(process restapi.Process, tasks []restapi.ProcessItem) ([]byte, error) {
	lines := [][]string{{"item", "state", "name", "value"}, {"LOAN", process.State, "id", process.ID.String()}}
	if process.Metadata != nil {
		lines = append(lines, values("LOAN", process.State, process.Metadata.Value)...)
	}
	for _, task := range tasks {
		lines = append(lines, values(task.Code(), task.TaskState(), task.TaskData())...)
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.WriteAll(lines); err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return out.Bytes(), nil
}

// values are the lines of an object, in the order of its names. An item without values has a line without any.
func values(item, state string, object restapi.Object) [][]string {
	if len(object) == 0 {
		return [][]string{{item, state, "", ""}}
	}
	var lines [][]string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		lines = append(lines, []string{item, state, name, plain(object[name])})
	}
	return lines
}

// plain is the content of a JSON string and the text of everything else. Programs that show tables take a text that
// begins with one of =+-@ for a formula; the quote before it keeps them from that.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
