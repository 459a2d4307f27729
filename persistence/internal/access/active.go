package access

// ActiveIn is true of a principal p that may work in the tenant with an id.
func ActiveIn(tenant string) string {
	return `(p.disabled_at IS NULL
            AND (p.tenant_id = ` + tenant + ` OR p.type = 'SYSTEM'
                 OR EXISTS (SELECT 1 FROM tenant_users u
                             WHERE u.principal_id = p.id AND u.tenant_id = ` + tenant + ` AND u.disabled_at IS NULL)))`
}
