// Package people shows administrators the users, groups, applications and robots of a tenant with their rights,
// secrets and access to the engine.
package people
