// Package health is where administrators see what waits in their tenants, and operators whether everything that the
// service depends on works.
package health
