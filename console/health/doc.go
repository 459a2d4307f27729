// Package health shows administrators the pending work of their tenants, and operators the state of the
// dependencies.
package health
