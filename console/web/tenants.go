package web

import "github.com/procession-dev/procession/domain"

// SeveralTenants reports whether lists may have rows of several tenants.
func SeveralTenants(caller domain.Caller) bool {
	return caller.Operator || len(caller.AdministeredTenants()) > 1
}

// TenantCodes returns the filter of a list for the tenant with a code, none for "".
func TenantCodes(code string) []string {
	if code == "" {
		return nil
	}
	return []string{code}
}
