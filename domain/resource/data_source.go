package resource

import (
	"encoding/json"
	"maps"
	"slices"
)

// DataSourceSpec describes a source of items for forms to choose from. Its worker answers queries on TaskQueue.
type DataSourceSpec struct {
	// Name is the display name of the data source, 1..50 characters.
	Name string `json:"name" right:"no"`
	// Description describes the items of the data source, up to 4000 characters.
	Description string `json:"description,omitempty" right:"no"`
	// TaskQueue is the queue that the worker serves, 1..255 characters.
	TaskQueue string `json:"taskQueue" right:"yes"`
	// Runner is the code of the application that runs the worker.
	Runner string `json:"runner" right:"yes"`
	// EncryptionKey is the code of the key that encrypts queries and answers; they are plain unless given.
	EncryptionKey string `json:"encryptionKey,omitempty" right:"yes"`
	// Permissions are the rights on the data source.
	Permissions DataSourcePermissions `json:"permissions,omitzero" right:"within"`
}

// DataSourcePermissions are the rights on a data source.
type DataSourcePermissions struct {
	// Queriers may query the data source.
	Queriers []Grantee `json:"queriers,omitempty" right:"yes"`
}

func (*DataSourceSpec) fillDefaults() {}

func (s *DataSourceSpec) checkSpec(r *report) {
	checkGrantees(s.Permissions.Queriers, "/spec/permissions/queriers", []string{RoleEveryone}, r)
}

// References implements Spec: a data source refers to the application that runs it, the key of its payloads and
// its grantees.
func (s *DataSourceSpec) References() []Reference {
	var found references
	found.add(KindApplication, s.Runner, "/spec/runner")
	found.add(KindEncryptionKey, s.EncryptionKey, "/spec/encryptionKey")
	found.addGrantees(s.Permissions.Queriers, "/spec/permissions/queriers")
	return found
}

// addDataSources adds the data sources that a JSON Schema names in dataSource.
func (r *references) addDataSources(schema json.RawMessage, pointer string) {
	var decoded any
	if json.Unmarshal(schema, &decoded) == nil {
		r.addDataSourcesIn(decoded, pointer)
	}
}

func (r *references) addDataSourcesIn(schema any, pointer string) {
	switch schema := schema.(type) {
	case map[string]any:
		if code, ok := schema["dataSource"].(string); ok && schema["format"] == "kuflow-data-source" {
			r.add(KindDataSource, code, extendPointer(pointer, "dataSource"))
		}
		for _, name := range slices.Sorted(maps.Keys(schema)) {
			r.addDataSourcesIn(schema[name], extendPointer(pointer, name))
		}
	case []any:
		for i := range schema {
			r.addDataSourcesIn(schema[i], extendPointer(pointer, i))
		}
	}
}
