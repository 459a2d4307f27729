// Package people is where administrators see who and what has rights: people, groups,
// applications and robots, with their secrets and their access to the engine.
package people
