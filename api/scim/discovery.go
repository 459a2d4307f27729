package scim

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/procession-dev/procession/domain"
)

// supported states whether the service offers a feature.
type supported struct {
	Supported      bool `json:"supported"`
	MaxOperations  *int `json:"maxOperations,omitempty"`
	MaxPayloadSize *int `json:"maxPayloadSize,omitempty"`
	MaxResults     *int `json:"maxResults,omitempty"`
}

// resourceType is a type of resource (RFC 7643, section 6).
type resourceType struct {
	Schemas     []string `json:"schemas"`
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Endpoint    string   `json:"endpoint"`
	Schema      string   `json:"schema"`
	Meta        object   `json:"meta"`
}

// schema is a schema (RFC 7643, section 7).
type schema struct {
	Schemas     []string    `json:"schemas"`
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Attributes  []attribute `json:"attributes"`
	Meta        object      `json:"meta"`
}

func (s *Server) metaOf(kind, path string) object {
	return object{"resourceType": kind, "location": s.base + path}
}

// showProvider answers with the configuration of the service (RFC 7643, section 5).
func (s *Server) showProvider(c *gin.Context) {
	none, size, results := 0, 0, maxPage
	writeJSON(c, http.StatusOK, object{
		"schemas": []string{providerSchema}, "patch": supported{Supported: true},
		"bulk":   supported{MaxOperations: &none, MaxPayloadSize: &size},
		"filter": supported{Supported: true, MaxResults: &results}, "changePassword": supported{}, "sort": supported{},
		"etag": supported{Supported: true},
		"authenticationSchemes": []object{{
			"type": "oauthbearertoken", "name": "Bearer token", "description": "A token of the tenant for directories.", "primary": true,
		}},
		"meta": s.metaOf("ServiceProviderConfig", "/ServiceProviderConfig"),
	})
}

func (s *Server) resourceTypes() []resourceType {
	kind := func(name, description, endpoint, schema string) resourceType {
		return resourceType{
			Schemas: []string{typeSchema}, ID: name, Name: name, Description: description, Endpoint: endpoint, Schema: schema,
			Meta: s.metaOf("ResourceType", "/ResourceTypes/"+name),
		}
	}
	return []resourceType{
		kind("User", "Users of the tenant", "/Users", userSchema), kind("Group", "Groups of the tenant", "/Groups", groupSchema),
	}
}

func (s *Server) schemas() []schema {
	of := func(id, name, description string, attributes []attribute) schema {
		return schema{
			Schemas: []string{schemaSchema}, ID: id, Name: name, Description: description, Attributes: attributes,
			Meta: s.metaOf("Schema", "/Schemas/"+id),
		}
	}
	return []schema{
		of(userSchema, "User", "A user of the tenant", userAttributes()), of(groupSchema, "Group", "A group of the tenant", groupAttributes()),
	}
}

// refuseSearch answers a search in several types of resources, which the service does not offer (RFC 7644, section 3.12).
func (s *Server) refuseSearch(c *gin.Context) {
	writeJSON(c, http.StatusNotImplemented, errorBody{
		Schemas: []string{errorMessage}, Status: strconv.Itoa(http.StatusNotImplemented), Detail: "search in /Users or /Groups",
	})
}

// listAll answers with all of a few resources. They cannot be filtered (RFC 7644, section 4).
func listAll[T any](s *Server, find func() []T) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Query("filter") != "" {
			s.writeFailure(c, domain.Denied("this list cannot be filtered"))
			return
		}
		all := find()
		writeJSON(c, http.StatusOK, object{
			"schemas": []string{listMessage}, "totalResults": len(all), "itemsPerPage": len(all), "startIndex": 1, "Resources": all,
		})
	}
}

// showOne answers with the one of a few resources that the path names.
func showOne[T any](s *Server, find func() []T, idOf func(T) string) gin.HandlerFunc {
	return func(c *gin.Context) {
		for _, one := range find() {
			if strings.EqualFold(idOf(one), c.Param("id")) {
				writeJSON(c, http.StatusOK, one)
				return
			}
		}
		s.writeFailure(c, domain.NotFound("resource"))
	}
}
