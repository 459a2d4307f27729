package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/domain/resource"
)

// ExplainFlag adds the present name to an error about a flag that was renamed.
func ExplainFlag(err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if current := currentName(unknown.GetSpecifiedName()); current != "" {
			return fmt.Errorf("--%s is now --%s", unknown.GetSpecifiedName(), current)
		}
	}
	return err
}

// VisitSettings calls visit for the flag of each setting but --config, in the
// order of their declaration. The flags are bound to c and set c to the defaults.
func (c *Config) VisitSettings(visit func(*pflag.Flag)) {
	flags := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	flags.SortFlags = false
	c.BindFlags(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != FileFlag {
			visit(f)
		}
	})
}

// Load sets the settings from the file, the environment and the flags, in ascending priority, and validates the
// result. The error names everything that is wrong. flags are bound to c, maybe through DeferFlags. An empty environment variable is an empty
// value of a setting that may be empty; for any other setting, such as a number, it counts as absent.
func (c *Config) Load(flags *pflag.FlagSet) error {
	if file, ok := os.LookupEnv(variableName(FileFlag)); ok && !flags.Changed(FileFlag) {
		c.File = file
	}
	file, err := readSettings(c.File)
	if err != nil {
		return err
	}
	var wrong []error
	var settings []string
	new(Config).VisitSettings(func(setting *pflag.Flag) {
		settings = append(settings, setting.Name)
		f := flags.Lookup(setting.Name)
		value, text := undefer(f.Value)
		if node, ok := file[f.Name]; ok {
			if err := setNode(value, &node); err != nil {
				wrong = append(wrong, fmt.Errorf("reading %s of %s: line %d: %w", f.Name, c.File, node.Line, describeFault(f, err)))
			}
			delete(file, f.Name)
		}
		if err := setVariable(f.Name, value); err != nil {
			wrong = append(wrong, fmt.Errorf("reading %s: %w", variableName(f.Name), describeFault(f, err)))
		}
		if !f.Changed {
			return
		}
		if err := value.Set(text); err != nil {
			wrong = append(wrong, fmt.Errorf("reading --%s: %w", f.Name, describeFault(f, err)))
		}
	})
	for _, name := range slices.Sorted(maps.Keys(file)) {
		if current := currentName(name); current != "" {
			wrong = append(wrong, fmt.Errorf("reading %s: line %d: %s is now %s", c.File, file[name].Line, name, current))
			continue
		}
		wrong = append(wrong, fmt.Errorf("reading %s: line %d: unknown setting %q%s",
			c.File, file[name].Line, name, resource.DidYouMean(name, settings, "")))
	}
	c.OIDCIssuers.setDefaults()
	return errors.Join(append(wrong, checkVariables(settings), c.Check())...)
}

// readSettings reads a YAML file of settings; no name stands for no settings.
func readSettings(name string) (map[string]yaml.Node, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // a map without settings
	}
	content, err := os.ReadFile(name) //nolint:gosec // named by who starts the service
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	var settings map[string]yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(content)).Decode(&settings); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return settings, nil
}

// setNode sets a flag to a value of the file. Null leaves the flag as it is.
func setNode(value pflag.Value, node *yaml.Node) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.ShortTag() == "!!null" {
		return nil
	}
	if node.Kind != yaml.ScalarNode {
		switch value := value.(type) {
		case *textList:
			return node.Decode((*[]string)(value))
		case objectList:
			var objects any
			if err := node.Decode(&objects); err != nil {
				return err
			}
			// Set refuses unknown members, which a node cannot.
			text, err := yaml.Marshal(objects)
			if err != nil {
				return err
			}
			return value.Set(string(text))
		}
	}
	if value.Type() == "bool" {
		var on bool
		if err := node.Decode(&on); err != nil {
			return err
		}
		return value.Set(strconv.FormatBool(on))
	}
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	return value.Set(text)
}

// YAML returns the settings as a file that Load reads.
func (c *Config) YAML() ([]byte, error) {
	var shown Config
	var flags []*pflag.Flag
	shown.VisitSettings(func(f *pflag.Flag) { flags = append(flags, f) })
	shown = *c
	document := yaml.Node{Kind: yaml.MappingNode}
	for _, f := range flags {
		var setting any
		switch value := f.Value.(type) {
		case *textList:
			setting = []string(*value)
		case objectList:
			setting = value.objects()
		default:
			setting = f.Value.String()
			if f.Value.Type() != "string" {
				if err := yaml.Unmarshal([]byte(f.Value.String()), &setting); err != nil {
					return nil, err
				}
			}
		}
		var key, node yaml.Node
		key.SetString(f.Name)
		if err := node.Encode(setting); err != nil {
			return nil, err
		}
		document.Content = append(document.Content, &key, &node)
	}
	return yaml.Marshal(&document)
}

// textList is a list of strings: a list in the file, separated by commas in the environment and in flags.
type textList []string

// Set implements pflag.Value. Empty text is an empty list.
func (l *textList) Set(text string) error {
	*l = nil
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l = append(*l, part)
		}
	}
	return nil
}

// String implements pflag.Value. Its result can be given to Set.
func (l *textList) String() string { return strings.Join(*l, ",") }

// Type implements pflag.Value.
func (*textList) Type() string { return "list" }
