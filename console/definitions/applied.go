package definitions

import (
	"net/url"
	"slices"
	"strings"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain/resource"
)

// appliedParam is the parameter of the list that names applied resources.
const appliedParam = "applied"

// maxApplied is the number of applied resources that the list links to.
const maxApplied = 50

// appliedPath returns the path of the list with links to the applied resources.
func appliedPath(applied []administration.AppliedResource) string {
	query := url.Values{appliedParam: {""}}
	for _, a := range applied[:min(len(applied), maxApplied)] {
		if a.Action != administration.ApplyDeleted {
			query.Add(appliedParam, strings.Join([]string{a.Key.Tenant, string(a.Key.Kind), a.Key.Code}, "/"))
		}
	}
	return web.Root + area + "?" + query.Encode()
}

// parseApplied returns the resources that the parameters of the list name.
func parseApplied(query url.Values) []resource.Key {
	var keys []resource.Key
	for _, text := range query[appliedParam] {
		parts := strings.Split(text, "/")
		if len(parts) == 3 && slices.Contains(resource.Kinds(), resource.Kind(parts[1])) && len(keys) < maxApplied {
			keys = append(keys, resource.Key{Tenant: parts[0], Kind: resource.Kind(parts[1]), Code: parts[2]})
		}
	}
	return keys
}

// screenOf returns the path of the screen of a resource.
func screenOf(key resource.Key) string {
	if slices.Contains(resources.People(), key.Kind) {
		return resources.PathOf("people", key)
	}
	return pathOf(key)
}
