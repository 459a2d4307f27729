package options

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// nameList is the value of a flag with comma-separated names.
type nameList []string

// String implements [flag.Value].
func (n *nameList) String() string { return strings.Join(*n, ",") }

// Set implements [flag.Value]. It replaces the list: a flag overrides the file.
func (n *nameList) Set(value string) error {
	*n = nil
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			*n = append(*n, item)
		}
	}
	return nil
}

// configFile returns the value of --config before the other settings are read. The caller reports invalid arguments.
func configFile(args []string, lookupEnv func(string) (string, bool)) (string, error) {
	var ignored Options
	fs := ignored.flagSet("", io.Discard)
	fs.Usage = func() {}
	if file, ok := lookupEnv(EnvName(configFlag)); ok {
		if err := fs.Set(configFlag, file); err != nil {
			return "", fmt.Errorf("reading %s: %w", EnvName(configFlag), err)
		}
	}
	if err := fs.Parse(args); err != nil {
		return "", nil //nolint:nilerr // parsing them again reports it, or writes the help
	}
	return fs.Lookup(configFlag).Value.String(), nil
}

// setFromFile sets flags from a YAML file, which maps their names to a value or a list of values. No error contains a value.
func setFromFile(fs *flag.FlagSet, path string) error {
	content, err := os.ReadFile(path) //nolint:gosec // the operator's own file
	if err != nil {
		return fmt.Errorf("reading --config: %w", err)
	}
	settings, err := parseFile(content)
	if err != nil {
		return fmt.Errorf("reading --config %s: %w", path, err)
	}
	var errs []error
	for _, s := range settings {
		if fs.Lookup(s.name) == nil || s.name == configFlag {
			errs = append(errs, fmt.Errorf("reading --config %s: line %d: there is no setting %q", path, s.line, s.name))
			continue
		}
		if err := fs.Set(s.name, s.value); err != nil {
			errs = append(errs, fmt.Errorf("reading --config %s: line %d: %s: %w", path, s.line, s.name, err))
		}
	}
	return errors.Join(errs...)
}

type setting struct {
	name, value string
	line        int
}

func parseFile(content []byte) ([]setting, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, err
	}
	if document.Kind == 0 { // comments only
		return nil, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("it must be a mapping from names of settings to values")
	}
	var settings []setting
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if seen[key.Value] {
			return nil, fmt.Errorf("line %d: %s is set twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		text, ok := flagText(value)
		if !ok {
			return nil, fmt.Errorf("line %d: %s must be a value or a list of values", value.Line, key.Value)
		}
		settings = append(settings, setting{name: key.Value, value: text, line: key.Line})
	}
	return settings, nil
}

// flagText returns the value of a setting as the text of a flag.
func flagText(node *yaml.Node) (string, bool) {
	switch node.Kind {
	case yaml.ScalarNode:
		if node.Tag == "!!null" {
			return "", true
		}
		return node.Value, true
	case yaml.SequenceNode:
		items := make([]string, 0, len(node.Content))
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return "", false
			}
			items = append(items, item.Value)
		}
		return strings.Join(items, ","), true
	case yaml.DocumentNode, yaml.MappingNode, yaml.AliasNode:
		return "", false
	default:
		return "", false
	}
}
