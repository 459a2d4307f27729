package api

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/api/openapi"
)

// index lists the documents of the contracts.
type index struct {
	Documents []indexEntry `json:"documents"`
}

// indexEntry describes a document. Server is the path of its operations; YAML and
// JSON are the paths of its two forms.
type indexEntry struct {
	Title   string `json:"title"`
	Version string `json:"version"`
	Server  string `json:"server"`
	YAML    string `json:"yaml"`
	JSON    string `json:"json"`
}

// publishContracts adds the documents of the contracts in both forms, and their index.
func publishContracts(routes gin.IRouter, served []contract) error {
	var list index
	for _, c := range served {
		text, err := openapi.YAML(c.document)
		if err != nil {
			return fmt.Errorf("publishing %s: %w", c.document, err)
		}
		converted, err := openapi.JSON(c.document)
		if err != nil {
			return fmt.Errorf("publishing %s: %w", c.document, err)
		}
		doc, err := openapi.Load(c.document)
		if err != nil {
			return fmt.Errorf("publishing %s: %w", c.document, err)
		}
		entry := indexEntry{
			Title: doc.Info.Title, Version: doc.Info.Version, Server: doc.Servers[0].URL, YAML: "/openapi/" + c.document,
		}
		entry.JSON = strings.TrimSuffix(entry.YAML, ".yaml") + ".json"
		list.Documents = append(list.Documents, entry)
		routes.GET(entry.YAML, publishContent("application/yaml", revalidated, constantContent(text)))
		routes.GET(entry.JSON, publishContent("application/json", revalidated, constantContent(converted)))
	}
	text, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("publishing the index of contracts: %w", err)
	}
	for _, path := range []string{"/openapi", "/openapi/"} {
		routes.GET(path, publishContent("application/json", revalidated, constantContent(text)))
	}
	return nil
}
