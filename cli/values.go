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

// assignment splits key=text or key:=JSON into the key and the JSON of the value.
func assignment(flag, typed string) (key string, value json.RawMessage, err error) {
	key, text, found := strings.Cut(typed, "=")
	if !found || key == "" || key == ":" {
		return "", nil, misuse("--%s must be key=text or key:=JSON, not %q", flag, typed)
	}
	if name, isJSON := strings.CutSuffix(key, ":"); isJSON {
		if !json.Valid([]byte(text)) {
			return "", nil, misuse("--%s %s: the value behind := is not JSON; text goes behind =", flag, typed)
		}
		return name, json.RawMessage(text), nil
	}
	return key, jsontext.Quote(text), nil
}

// objectOf creates a JSON object of what a flag was given: keys with values, and @file for
// an object in a file. It returns nil if the flag was not given.
func objectOf(cmd *cobra.Command, flag string, given []string) (*rest.JSONValue, error) {
	if len(given) == 0 {
		return nil, nil //nolint:nilnil // there need not be a value
	}
	object := map[string]json.RawMessage{}
	for _, typed := range given {
		if file, isFile := strings.CutPrefix(typed, "@"); isFile {
			text, err := readInput(cmd.InOrStdin(), flag, file)
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(text, &object); err != nil {
				return nil, misuse("--%s: %s holds no JSON object: %w", flag, file, err)
			}
			continue
		}
		key, value, err := assignment(flag, typed)
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
		return nil, misuse("--%s: %w", flag, err)
	}
	return text, nil
}

// dataFlags are the flags for the data to save into a task.
type dataFlags struct {
	set, unset []string
	file       string
}

func (d *dataFlags) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&d.set, "set", nil, "set the value at a path, as `/path=text` or /path:=JSON; repeatable")
	f.StringArrayVar(&d.unset, "unset", nil, "remove the value at the `/path`; repeatable")
	f.StringVarP(&d.file, "file", "f", "", "replace all of the data by the JSON object in the `file`, - for standard input")
}

// given reports whether there is something to save.
func (d *dataFlags) given() bool { return d.file != "" || len(d.set)+len(d.unset) > 0 }

// patch returns the changes of --set and --unset.
func (d *dataFlags) patch() (rest.JSONPatch, error) {
	var patch rest.JSONPatch
	for _, typed := range d.set {
		path, value, err := assignment("set", typed)
		if err != nil {
			return nil, err
		}
		patch = append(patch, rest.JSONPatchOperation{Op: rest.JSONPatchOperationOpAdd, Path: pointer(path), Value: value})
	}
	for _, path := range d.unset {
		patch = append(patch, rest.JSONPatchOperation{Op: rest.JSONPatchOperationOpRemove, Path: pointer(path)})
	}
	return patch, nil
}

// pointer returns a path as a JSON Pointer: that of a member may be typed without the slash.
func pointer(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}
