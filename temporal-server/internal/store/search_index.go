package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	esclient "go.temporal.io/server/common/persistence/visibility/store/elasticsearch/client"
	"go.temporal.io/server/schema"
)

const (
	templateFolder = "elasticsearch/visibility/versioned"
	templateFile   = "index_template_v7.json"
	// indexRefresh is the time after which OpenSearch shows a change.
	indexRefresh = "500ms"
	// engineAttribute is the search attribute of the service in each namespace. An index has it from the beginning: processes of Temporal know a
	// later one after a minute.
	engineAttribute = "KuFlowWorkflowVersion"
)

// searchIndex is the index of the lists of workflows in OpenSearch.
type searchIndex struct{ stores *stores }

// indexTemplate is a version of the index in Temporal's module.
type indexTemplate struct {
	Order    int            `json:"order"`
	Patterns []string       `json:"index_patterns"`
	Settings map[string]any `json:"settings"`
	Mappings indexMappings  `json:"mappings"`
}

type indexMappings struct {
	Dynamic    any                       `json:"dynamic"`
	Properties map[string]map[string]any `json:"properties"`
}

func (s *searchIndex) partName() string {
	return "index " + s.stores.opts.OpenSearch.Index + " in OpenSearch"
}

func (s *searchIndex) targetVersion() string {
	return strconv.Itoa(latestTemplate())
}

// latestTemplate returns the number of the latest version in Temporal's module.
func latestTemplate() (latest int) {
	for number := 0; ; number++ {
		if _, err := fs.Stat(schema.Assets(), templatePath(number)); err != nil {
			return number - 1
		}
	}
}

func templatePath(number int) string {
	return fmt.Sprintf("%s/v%d/%s", templateFolder, number, templateFile)
}

func readTemplate(number int) (t indexTemplate, err error) {
	text, err := fs.ReadFile(schema.Assets(), templatePath(number))
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	return t, err
}

func (s *searchIndex) connectClient() (esclient.CLIClient, error) {
	client, err := esclient.NewCLIClient(s.stores.persistence.DataStores[visibilityStore].Elasticsearch, s.stores.logger)
	if err != nil {
		return nil, fmt.Errorf("connecting to OpenSearch: %w", err)
	}
	return client, nil
}

// readVersion returns the latest version with all its fields in the index: OpenSearch records no version.
func (s *searchIndex) readVersion(ctx context.Context) (string, error) {
	client, err := s.connectClient()
	if err != nil {
		return "", err
	}
	exists, err := client.IndexExists(ctx, s.stores.opts.OpenSearch.Index)
	if err != nil || !exists {
		return "", err
	}
	fields, err := client.GetMapping(ctx, s.stores.opts.OpenSearch.Index)
	if err != nil {
		return "", err
	}
	for number := latestTemplate(); number >= 0; number-- {
		t, err := readTemplate(number)
		if err != nil {
			return "", err
		}
		if t.isIn(fields) {
			return strconv.Itoa(number), nil
		}
	}
	return "", errors.New("the index has no fields of Temporal: choose another name with --opensearch-index, or remove it")
}

// isIn reports whether an index has all fields of the template, with their types.
func (t indexTemplate) isIn(fields map[string]string) bool {
	for name, field := range t.Mappings.Properties {
		if fields[name] != field["type"] {
			return false
		}
	}
	return true
}

func (s *searchIndex) updatePart(ctx context.Context) error {
	client, err := s.connectClient()
	if err != nil {
		return err
	}
	index := s.stores.opts.OpenSearch.Index
	template, err := readTemplate(latestTemplate())
	if err != nil {
		return err
	}
	if err := s.adaptTemplate(&template); err != nil {
		return err
	}
	template.Mappings.Properties[engineAttribute] = map[string]any{"type": "long"}
	text, err := json.Marshal(template)
	if err != nil {
		return err
	}
	if err := requireDone(client.IndexPutTemplate(ctx, index+"_template", string(text))); err != nil {
		return fmt.Errorf("storing the template of the index: %w", err)
	}
	exists, err := client.IndexExists(ctx, index)
	if err != nil {
		return err
	}
	if !exists {
		return requireDone(client.CreateIndex(ctx, index, nil)) // with the settings and fields of the template
	}
	if text, err = json.Marshal(template.Mappings); err != nil {
		return err
	}
	return requireDone(client.IndexPutMapping(ctx, index, string(text)))
}

// adaptTemplate sets the values of the settings: the name of the index and the number of its shards.
func (s *searchIndex) adaptTemplate(t *indexTemplate) error {
	settings, ok := t.Settings["index"].(map[string]any)
	if !ok {
		return fmt.Errorf("the template of the index has the settings %v", slices.Collect(maps.Keys(t.Settings)))
	}
	settings["number_of_shards"] = strconv.Itoa(s.stores.opts.OpenSearch.Shards)
	settings["refresh_interval"] = indexRefresh
	t.Patterns = []string{s.stores.opts.OpenSearch.Index}
	return nil
}

// requireDone returns an error unless OpenSearch has acknowledged a change.
func requireDone(acknowledged bool, err error) error {
	if err == nil && !acknowledged {
		err = errors.New("OpenSearch has not acknowledged the change in time: repeat the command")
	}
	return err
}
