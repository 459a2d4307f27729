package cli

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

// pageSize is how many resources are asked for at once, the most there can be.
const pageSize = 1000

// findResources returns the resources that the parameters pick, limit of them at most
// unless it is 0, and whether there are more.
func (s *service) findResources(
	ctx context.Context, params oasadmin.FindResourcesParams, limit int,
) (found []oasadmin.Resource, more bool, err error) {
	size := pageSize
	if limit > 0 {
		size = min(limit, pageSize)
	}
	found = []oasadmin.Resource{}
	for number := 0; ; number++ {
		params.Size, params.Page = &size, &number
		answer, err := s.FindResources(ctx, &params)
		page, err := receive[oasadmin.ResourcePage](s, answer, err)
		if err != nil {
			return nil, false, err
		}
		found = append(found, page.Content...)
		last := number+1 >= page.Metadata.TotalPages
		if limit > 0 && len(found) >= limit {
			return found[:limit], !last || len(found) > limit, nil
		}
		if last {
			return found, false, nil
		}
	}
}

// retrieveResource returns one resource.
func (s *service) retrieveResource(ctx context.Context, kind resource.Kind, code, tenant string) (oasadmin.Resource, error) {
	if err := checkCode(code); err != nil {
		return oasadmin.Resource{}, err
	}
	answer, err := s.RetrieveResource(ctx, oasadmin.ResourceKind(kind), code,
		&oasadmin.RetrieveResourceParams{Tenant: nonEmpty(tenant)})
	found, err := receive[oasadmin.Resource](s, answer, err)
	return found, withName(err, kind, code)
}

// withName adds the name of the resource to an error that it was not found.
func withName(err error, kind resource.Kind, code string) error {
	return notFound(err, string(kind)+"/"+code)
}

// checkCode refuses codes that would change the path of a URL.
func checkCode(code string) error {
	if code == "" || code == "." || code == ".." {
		return usageError("%q is not a code", code)
	}
	return nil
}

func nonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// filterOf creates a filter of one value, or none.
func filterOf(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// tenantOf returns the code of the tenant that a resource belongs to.
func tenantOf(kind oasadmin.ResourceKind, metadata oasadmin.ResourceMetadata) string {
	if kind == oasadmin.ResourceKindTenant {
		return metadata.Code
	}
	return valueOf(metadata.Tenant)
}

// resourceLabel returns how a resource is named in output: Kind/CODE, behind its tenant where
// there are several.
func resourceLabel(kind oasadmin.ResourceKind, code, tenant string, several bool) string {
	if several {
		return tenant + "/" + string(kind) + "/" + code
	}
	return string(kind) + "/" + code
}
