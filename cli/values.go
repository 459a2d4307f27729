package cli

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/sdk/rest"
)

// assignmentHelp explains how values are typed.
const assignmentHelp = "A value behind = is text, and one behind := is JSON, such as AMOUNT:=1000 or DONE:=true."

// parseAssignment splits key=text or key:=JSON into the key and the JSON of the value.
func parseAssignment(flag, typed string) (key string, value json.RawMessage, err error) {
	key, text, found := strings.Cut(typed, "=")
	if !found || key == "" || key == ":" {
		return "", nil, usageError("--%s must be key=text or key:=JSON, not %q", flag, typed)
	}
	if name, isJSON := strings.CutSuffix(key, ":"); isJSON {
		if !json.Valid([]byte(text)) {
			return "", nil, usageError("--%s %s: the value behind := is not JSON; text goes behind =", flag, typed)
		}
		return name, json.RawMessage(text), nil
	}
	return key, jsontext.Quote(text), nil
}

// objectOf returns a JSON object from the values of a flag: key=value, or @file for an
// object in a file. It returns nil without the flag.
func objectOf(cmd *cobra.Command, flag string, arguments []string) (*rest.JSONValue, error) {
	if len(arguments) == 0 {
		return nil, nil //nolint:nilnil // there need not be a value
	}
	object := map[string]json.RawMessage{}
	for _, typed := range arguments {
		if file, isFile := strings.CutPrefix(typed, "@"); isFile {
			text, err := readInput(cmd.InOrStdin(), flag, file)
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(text, &object); err != nil {
				return nil, usageError("--%s: %s holds no JSON object: %w", flag, file, err)
			}
			continue
		}
		key, value, err := parseAssignment(flag, typed)
		if err != nil {
			return nil, err
		}
		object[key] = value
	}
	text, err := jsontext.Marshal(object)
	return &rest.JSONValue{Value: text}, err
}

// readInput reads the file that a flag names, - for standard input.
func readInput(stdin io.Reader, flag, file string) (text []byte, err error) {
	if file == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(file) //nolint:gosec // the user names the file
	}
	if err != nil {
		return nil, usageError("--%s: %w", flag, err)
	}
	return text, nil
}

// dataFlags are the flags for the data to save into a task.
type dataFlags struct {
	set, unset []string
	file       string
}

func (d *dataFlags) bindFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&d.set, "set", nil, "set the value at a path, as `/path=text` or /path:=JSON; repeatable")
	f.StringArrayVar(&d.unset, "unset", nil, "remove the value at the `/path`; repeatable")
	f.StringVarP(&d.file, "file", "f", "", "replace all of the data by the JSON object in the `file`, - for standard input")
}

// isGiven reports whether there is something to save.
func (d *dataFlags) isGiven() bool { return d.file != "" || len(d.set)+len(d.unset) > 0 }

// jsonPatch returns the changes of --set and --unset.
func (d *dataFlags) jsonPatch() (rest.JSONPatch, error) {
	var patch rest.JSONPatch
	for _, typed := range d.set {
		path, value, err := parseAssignment("set", typed)
		if err != nil {
			return nil, err
		}
		patch = append(patch, rest.JSONPatchOperation{Op: rest.JSONPatchOperationOpAdd, Path: parsePointer(path), Value: value})
	}
	for _, path := range d.unset {
		patch = append(patch, rest.JSONPatchOperation{Op: rest.JSONPatchOperationOpRemove, Path: parsePointer(path)})
	}
	return patch, nil
}

// parsePointer returns a path as a JSON Pointer. The first slash may be omitted.
func parsePointer(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}
