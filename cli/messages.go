package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/manifest"
)

// maxTranslations limits a file of translations, in bytes.
const maxTranslations = 1 << 20

func newDefinitionsCommand() *cobra.Command {
	return newGroup("definitions", "Translate the texts of definitions", newMessagesCommand())
}

func newMessagesCommand() *cobra.Command {
	var files []string
	var tag, merge, to string
	cmd := &cobra.Command{
		Use: "messages -f FILE|- --language LANGUAGE", Args: requireArgs(),
		Short: "Write the texts of a definition for translators, or put their translations into it",
		Long: "Writes the texts of a definition in a language as a flat JSON object, with \"\" for a missing translation. In the\n" +
			"language of the definition it has its own texts. Keys of an item or action have its code and a slash in front.\n\n" +
			"With --merge it reads such a file and writes the manifest with the translations, as YAML without comments. It\n" +
			"needs no service.",
		Example: "  procession definitions messages -f loan.yaml --language de --to de.json\n" +
			"  procession definitions messages -f loan.yaml --language de --merge de.json --to loan.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := runMessages(cmd, files, tag, merge)
			if err != nil {
				return err
			}
			if to == "" {
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			return os.WriteFile(to, text, 0o644) //nolint:gosec // texts for others to read
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%w", err) })
	bindFiles(cmd, &files)
	cmd.Flags().StringVar(&tag, "language", "", "`tag` of the language, such as de or de-AT")
	cmd.Flags().StringVar(&merge, "merge", "", "`file` with translations to put into the manifest, - for standard input")
	cmd.Flags().StringVar(&to, "to", "", "`file` to write instead of standard output")
	return cmd
}

func runMessages(cmd *cobra.Command, files []string, tag, merge string) ([]byte, error) {
	parsed, err := language.Parse(tag)
	if err != nil || parsed == language.Und {
		return nil, usageError("%s needs --language with a tag such as de or de-AT", cmd.CommandPath())
	}
	sources, err := readDocuments(cmd, files)
	if err != nil {
		return nil, err
	}
	documents, err := decodeSources(sources)
	if err != nil {
		return nil, err
	}
	var definitions []*resource.Document
	for i := range documents {
		if documents[i].Translatables() != nil {
			definitions = append(definitions, &documents[i])
		}
	}
	if len(definitions) != 1 {
		return nil, usageError("%s needs the documents of one definition, not of %d", cmd.CommandPath(), len(definitions))
	}
	if merge == "" {
		return exportMessages(definitions[0].Translatables(), parsed.String())
	}
	texts, err := readTranslations(cmd, merge)
	if err != nil {
		return nil, err
	}
	return mergeMessages(sources[definitions[0].Place].JSON, definitions[0].Translatables(), parsed.String(), texts)
}

// messageKey returns the key of a message in a file for translators.
func messageKey(part *resource.Translatable, key string) string {
	if part.Code == "" {
		return key
	}
	return part.Code + "/" + key
}

// exportMessages writes the messages of a definition in a language.
func exportMessages(parts []resource.Translatable, tag string) ([]byte, error) {
	texts := jsondoc.NewObject()
	for i := range parts {
		part := &parts[i]
		for _, m := range part.Messages {
			text := part.Translation(tag, m.Key)
			if text == "" && tag == part.Default() {
				text = m.Source
			}
			texts.Set(messageKey(part, m.Key), text)
		}
		errors := part.ErrorTexts(tag)
		for _, key := range slices.Sorted(maps.Keys(errors)) {
			texts.Set(messageKey(part, key), errors[key])
		}
	}
	compact, err := jsontext.Marshal(texts)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, compact, "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), err
}

// readTranslations reads a file of a translator.
func readTranslations(cmd *cobra.Command, name string) (map[string]string, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		file, err := os.Open(name) //nolint:gosec // the user names it
		if err != nil {
			return nil, usageError("%w", err)
		}
		defer file.Close()
		in = file
	}
	content, err := io.ReadAll(io.LimitReader(in, maxTranslations+1))
	var texts map[string]string
	if err == nil && len(content) > maxTranslations {
		return nil, usageError("%s has more than %d bytes", name, maxTranslations)
	}
	if err == nil {
		err = json.Unmarshal(content, &texts)
	}
	if err != nil {
		return nil, usageError("%s is not a JSON object of texts: %w", name, err)
	}
	return texts, nil
}

// mergeMessages returns a manifest as YAML with translations into a language.
func mergeMessages(source json.RawMessage, parts []resource.Translatable, tag string, texts map[string]string) ([]byte, error) {
	decoded, err := jsondoc.Decode(source, jsontext.MaxDepth)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		part := &parts[i]
		for key, text := range texts {
			own, isOwn := strings.CutPrefix(key, messageKey(part, ""))
			if !isOwn || text == "" || part.Code == "" && belongsToPart(parts, key) {
				continue
			}
			delete(texts, key)
			if !part.Knows(own) {
				return nil, usageError("%s is not the key of a text of the definition", key)
			}
			if part.Translation(tag, own) != text && (tag != part.Default() || sourceOf(part, own) != text) {
				setTranslation(decoded, part.Pointer, tag, own, text)
			}
		}
	}
	merged, err := jsontext.Marshal(decoded)
	if err != nil {
		return nil, err
	}
	return manifest.Format(merged)
}

// belongsToPart reports whether a key has the code of an item or action in front.
func belongsToPart(parts []resource.Translatable, key string) bool {
	return slices.ContainsFunc(parts, func(p resource.Translatable) bool { return p.Code != "" && strings.HasPrefix(key, p.Code+"/") })
}

func sourceOf(part *resource.Translatable, key string) string {
	for _, m := range part.Messages {
		if m.Key == key {
			return m.Source
		}
	}
	return ""
}

// setTranslation sets a translation in the member at a pointer, and creates the objects around it.
func setTranslation(document any, pointer, tag, key, text string) {
	path, _ := jsontext.SplitPointer(pointer)
	for _, token := range append(path, tag) {
		switch at := document.(type) {
		case *jsondoc.Object:
			member, ok := at.Get(token)
			if _, isObject := member.(*jsondoc.Object); !ok || member == nil || !isObject && token == tag {
				member = jsondoc.NewObject()
				at.Set(token, member)
			}
			document = member
		case []any:
			if i, ok := jsontext.Index(token); ok && i < len(at) {
				document = at[i]
			}
		}
	}
	if texts, ok := document.(*jsondoc.Object); ok {
		texts.Set(key, text)
	}
}

// listCoverage writes the share of translated texts of each definition and language on standard error.
func listCoverage(cmd *cobra.Command, sources []manifest.Source) {
	documents, _ := resource.Decode(manifestTexts(sources))
	for i := range documents {
		document := &documents[i]
		for _, c := range resource.CoverageOf(document.Translatables()) {
			cmd.PrintErrln("translated:", fmt.Sprintf("%s %s: %s %d %% (%d of %d texts)",
				document.Kind, document.Metadata.Code, c.Language, c.Percent(), c.Translated, c.Total))
		}
	}
}
